// The worker of a page without a server.

import { Engine } from "./engine";
import { serve } from "./serve";

serve(Engine.load(new URL("../", location.href).href));

// The worker of a page without a server.

import { Engine, type ModuleFile } from "./engine";
import { serve } from "./serve";

// Its name is that of the module, if it is another one than the page begins with.
serve(Engine.load(new URL("../", location.href).href, `${self.name || "headgate"}.wasm.gz` as ModuleFile));

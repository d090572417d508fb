// The page of `headgate explore`.

import "./browser";
import "./main";

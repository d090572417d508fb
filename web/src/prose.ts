// Sentences in which names stand between backticks, as in the files of lessons. The page shows those names as code.

import { h } from "./dom";

export function prose(text: string): (Node | string)[] {
  return text.split("`").map((part, at) => (at % 2 === 1 ? h("code", {}, part) : part));
}

// Sentences in which names stand between backticks, as the files of lessons have them: the page sets them as code.

import { h } from "./dom";

export function prose(text: string): (Node | string)[] {
  return text.split("`").map((part, at) => (at % 2 === 1 ? h("code", {}, part) : part));
}

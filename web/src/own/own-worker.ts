// The worker of a control that is written on the page. It lives in a frame that reaches nothing but this page: it has
// no network, no storage and no document. sandbox.ts writes the text of the control in front of this script.

import { Engine } from "../engine";
import { serve } from "../serve";
import { Classes, type Fields, type Text, words } from "./classes";

const { own } = globalThis as unknown as { own: Text };

async function begin(module: ArrayBuffer): Promise<void> {
  const classes = new Classes();
  const engine = await Engine.of(module, classes.imports);
  const asked = (path: string, body: object | null): unknown => {
    const { status, text } = engine.ask(JSON.stringify({ path, body }));
    const found = JSON.parse(new TextDecoder().decode(text)) as { error?: { message: string } };
    if (status !== 200) throw new Error(found.error?.message ?? `status ${status}`);
    return found;
  };
  classes.begin(engine.memory, asked("/api/own/fields", null) as Fields);
  const names = classes.read(own).map((each) => (asked("/api/own", each) as { name: string }).name);
  serve(Promise.resolve(engine));
  postMessage({ ready: names });
}

addEventListener(
  "message",
  ({ data }: MessageEvent<ArrayBuffer>) => {
    begin(data).catch((error: unknown) => {
      postMessage({ refused: words(error) });
      close();
    });
  },
  { once: true },
);

// The page for a flow control of one's own: requests that its text must answer go to its sandbox.

import "./own.css";
import { aborted, explain } from "../api";
import { pack, unpack } from "../link";
import { type Message, Messages } from "../messages";
import { type More, place, setPlace } from "../place";
import { answerBy } from "../site";
import { body } from "./language";
import { OwnPage } from "./page";
import { Sandbox } from "./sandbox";

/** The begun text, its classes, and where it runs until it fails. */
let text = "";
let names: readonly string[] = [];
let running: Promise<Sandbox> | null = null;

const requests = new Messages((message) => void running?.then((sandbox) => sandbox.post(message)), "own");

function receive(sandbox: Sandbox, said: Message & { data?: ArrayBuffer }): void {
  requests.receive(said, said.data);
  sandbox.waiting(requests.size);
}

/** Begins the text that is kept, unless it runs. */
function sandbox(): Promise<Sandbox> {
  if (running) return running;
  const next = (async () => {
    const begun: Sandbox = await Sandbox.begin(
      await body(text),
      (said) => receive(begun, said),
      (fault) => {
        running = null;
        requests.fail(`The flow control has ended: ${fault}. The next run begins it again.`);
      },
    );
    return begun;
  })();
  running = next;
  next.catch(() => {
    if (running === next) running = null;
  });
  return next;
}

/** Begins a text: the names of its classes. */
async function begin(next: string): Promise<readonly string[]> {
  if (next !== text || !running) {
    const last = running;
    running = null;
    text = next;
    requests.fail("The flow control was changed.");
    last?.then((each) => each.end()).catch(() => undefined);
  }
  names = (await sandbox()).names;
  return names;
}

/** Whether a text in JSON has the name of one of the classes. */
function has(json: string): boolean {
  return names.some((name) => json.includes(JSON.stringify(name)));
}

answerBy({
  takes: (path, json) => path.startsWith("/api/own/") || path.startsWith("/api/run/own-") || has(json),
  async fetch(path, init) {
    try {
      const begun = await sandbox();
      const answer = requests.fetch(path, init);
      begun.waiting(requests.size);
      return await answer;
    } catch (error) {
      if (aborted(error)) throw error;
      return new Response(JSON.stringify({ error: explain(error) }), { status: 422 });
    }
  },
});

setPlace({
  ...place,
  besides: async (scenario) => (has(JSON.stringify(scenario)) ? [`own=${await pack({ text })}`] : []),
  more(explore, changed): readonly More[] {
    const page = new OwnPage(begin, explore, changed);
    return [
      {
        name: "own",
        label: "Your own control",
        element: page.element,
        open: () => page.open(),
        async address(shown, scenarios) {
          const used = scenarios.some((each) => has(JSON.stringify(each)));
          return shown || used ? [`own=${await pack({ text: shown ? page.text : text })}`] : [];
        },
        async restore(found) {
          const packed = found.get("own");
          if (packed === undefined) return;
          const { text: given } = (await unpack(packed)) as unknown as { text: unknown };
          if (typeof given !== "string") throw new Error("This link does not hold a flow control.");
          page.write(given);
          if (found.has("s")) await begin(given);
        },
      },
    ];
  },
});

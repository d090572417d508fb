// The lesson "write Reno in ten minutes": RFC 5681 in four steps, each with a text that holds, and what a run of it shows.

/** What a run gave. */
interface Outcome {
  goodput_pps: number;
  drops: number;
}

export interface Step {
  title: string;
  text: string;
  code: string;
  /** What is changed of a link of 10 Mbit/s and 20 ms. */
  change: object;
  /** What the run says of the step. */
  says(run: Outcome): string;
}

/** The most packets of 1500 bytes that a link of 10 Mbit/s carries in a second. */
const FULL = 1e7 / 8 / 1500;

const got = ({ goodput_pps, drops }: Outcome): string =>
  `${goodput_pps.toPrecision(3)} packets a second arrived, ${((100 * goodput_pps) / FULL).toFixed(0)} % of the link; ${drops} were dropped.`;

/** Nothing is left out of what is counted. */
const WHOLE = { warm_up: "0s" };

export const STEPS: readonly Step[] = [
  {
    title: "One packet at a time",
    text: "A window of one packet sends the next packet when the last one was acknowledged. A round trip takes some 21 ms here, so some 47 packets arrive in a second.",
    code: `export class Mine {
  on_start(window) {
    this.window = 1;
  }

  on_ack(ack) {}
}
`,
    change: WHOLE,
    says: (run) => `${run.goodput_pps < 60 ? "Right" : "Not yet: the window is larger than one packet"}. ${got(run)}`,
  },
  {
    title: "Slow start",
    text: "Each acknowledged packet lets the window grow by one packet, so that it doubles in a round trip (RFC 5681, section 3.1). The link is full soon, and then the queue: packets are dropped. Grow only if the window was what kept the source from sending.",
    code: `export class Mine {
  on_start(window) {
    this.window = window;
  }

  on_ack(ack) {
    if (ack.limited && !ack.recovering) this.window += ack.credit;
  }
}
`,
    change: WHOLE,
    says: (run) =>
      `${run.drops > 0 ? "Right: the window grows until packets are dropped" : "Not yet: nothing was dropped"}. ${got(run)}`,
  },
  {
    title: "Half of it after a loss",
    text: "A loss says that the link is full: half of the window is left, and slow start ends there (RFC 5681, equation 4). One loss is one call, however many packets went with it.",
    code: `export class Mine {
  on_start(window) {
    this.window = window;
    this.ceiling = Infinity;
  }

  on_ack(ack) {
    if (ack.limited && !ack.recovering && this.window < this.ceiling) this.window += ack.credit;
  }

  on_loss(loss) {
    this.ceiling = this.window = Math.max(this.window / 2, 2);
  }
}
`,
    change: WHOLE,
    says: (run) =>
      `${run.drops > 0 && run.drops < 100 ? "Right: it slows down when packets are lost" : "Not yet"}. ${got(run)}`,
  },
  {
    title: "A packet more in each round trip",
    text: "Above that, the window grows by one packet in a round trip (RFC 5681, equation 3), so that the link is tried again. This is Reno: run it beside CUBIC, and run all tests.",
    code: `export class Mine {
  static summary = "The window doubles until the first loss; then it grows by a packet a round trip, and a loss halves it.";
  static parameters = {
    increase: { default: 1, min: 0.1, max: 10, doc: "Packets by which it grows in a round trip." },
  };
  static gauges = ["ceiling"];

  on_start(window) {
    this.window = window;
    this.ceiling = Infinity;
  }

  on_ack(ack) {
    if (!ack.limited || ack.recovering) return;
    if (this.window < this.ceiling) this.window += ack.credit;
    else this.window += (this.increase * ack.credit) / this.window;
  }

  on_loss(loss) {
    this.ceiling = this.window = Math.max(this.window / 2, 2);
  }
}
`,
    change: WHOLE,
    says: (run) =>
      `${run.goodput_pps > 0.8 * FULL && run.drops > 0 ? "Right: the link is used, and tried again and again" : "Not yet"}. ${got(run)}`,
  },
];

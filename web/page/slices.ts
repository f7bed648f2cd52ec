/** Work in slices: between two of them the page paints and answers, and a button or another choice can stop the work. */

/** Milliseconds of a slice, and between two words about progress. */
const [SLICE_MS, WORD_MS] = [25, 300];

/** The end of work that its user did not want any more: no fault. */
export class Stopped extends Error {}

/** The slices of one piece of work. */
export class Slices {
  private end = performance.now() + SLICE_MS;
  private word = performance.now() + WORD_MS;

  constructor(
    private readonly signal: AbortSignal,
    private readonly tell: (progress: string) => void,
  ) {}

  /** The outcome of other work, or the reason for which this work was stopped before. */
  unless<T>(work: Promise<T>): Promise<T> {
    return new Promise((done, fail) => {
      this.signal.addEventListener("abort", () => fail(this.signal.reason as Error), { once: true });
      work.then(done, fail);
    });
  }

  /** Gives the page its turn if the slice is over; throws the reason if the work was stopped. */
  async turn(progress: () => string): Promise<void> {
    const now = performance.now();
    if (now < this.end) {
      return;
    }
    if (now >= this.word) {
      this.tell(progress());
      this.word = now + WORD_MS;
    }
    await nextTask();
    this.signal.throwIfAborted();
    this.end = performance.now() + SLICE_MS;
  }
}

/** The next task of the browser. Timers would wait a second in a page that nobody looks at. */
export function nextTask(): Promise<void> {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(undefined);
  });
}

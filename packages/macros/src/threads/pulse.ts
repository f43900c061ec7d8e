const BEATS = 0;
const CURRENT = 1;
const STOPPED = 2;
const BEGUN = 3;
const WAITED = 4;

/** A few words that a seat and its thread share: what they say is seen at once, whatever the thread does. */
export class Pulse {
  static readonly bytes = 20;
  readonly shared: SharedArrayBuffer;
  private readonly words: Int32Array;

  constructor(shared: SharedArrayBuffer) {
    this.shared = shared;
    this.words = new Int32Array(shared);
  }

  /** How often the thread has said that it lives. */
  get beats(): number {
    return Atomics.load(this.words, BEATS);
  }

  /** The entry that runs; 0 for none. */
  get current(): number {
    return Atomics.load(this.words, CURRENT);
  }

  set current(id: number) {
    Atomics.store(this.words, CURRENT, id);
  }

  /** The last entry that has begun; those that wait for their turn begin in the order of their ids, but for modules that had to become JavaScript first. */
  get begun(): number {
    return Atomics.load(this.words, BEGUN);
  }

  /** Milliseconds for which that one waited. */
  get waited(): number {
    return Atomics.load(this.words, WAITED);
  }

  /** Says that an entry begins, and how long it waited. One that comes late does not take back that others have begun. */
  begin(id: number, waited: number): void {
    if (id < this.begun) return;
    Atomics.store(this.words, WAITED, waited);
    Atomics.store(this.words, BEGUN, id);
  }

  /** Says that an entry is to stop wherever it is. */
  stop(id: number): void {
    Atomics.store(this.words, STOPPED, id);
  }

  /** Says that the thread lives. Whether the entry is to stop. */
  beat(id: number): boolean {
    Atomics.add(this.words, BEATS, 1);
    return Atomics.load(this.words, STOPPED) === id;
  }
}

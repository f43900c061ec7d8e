/** The numbers of the messages that a session sends: 0, 1, 2 …, each given out once. */
export class OutgoingNumbers {
  #next = 0n;

  next(): bigint {
    const number = this.#next;
    this.#next += 1n;
    return number;
  }
}

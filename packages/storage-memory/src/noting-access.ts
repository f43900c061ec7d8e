import type { Access, Work } from "./access.ts";

/** Passes work on and keeps its answers, so that no failure among them is overlooked. */
export class NotingAccess implements Access {
  private readonly noted: Promise<unknown>[] = [];

  constructor(private readonly access: Access) {}

  read<T>(work: Work<T>): Promise<T> {
    return this.note(this.access.read(work));
  }

  write<T>(work: Work<T>): Promise<T> {
    return this.note(this.access.write(work));
  }

  /** Rejects if one of those that were asked for by now fails. */
  async answers(): Promise<void> {
    await Promise.all(this.noted);
  }

  private note<T>(answer: Promise<T>): Promise<T> {
    this.noted.push(answer);
    return answer;
  }
}

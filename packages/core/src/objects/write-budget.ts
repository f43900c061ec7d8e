import { acceptObjectCount } from "./answer-bounds.ts";
import { AnswerTooLargeError } from "./answer-too-large-error.ts";

/** What is written into an answer, or into a part of it. */
export interface Written {
  readonly objects: number;
  readonly bytes: number;
}

/** Counts what is written into an answer, repetitions too. More than so many bytes, or too many objects: `AnswerTooLargeError`. */
export class WriteBudget {
  private objects = 0;
  private bytes = 0;

  constructor(private readonly most: number) {}

  add({ objects, bytes }: Written): void {
    this.objects += objects;
    this.bytes += bytes;
    acceptObjectCount(this.objects);
    if (this.bytes > this.most) throw new AnswerTooLargeError();
  }

  get written(): Written {
    return { objects: this.objects, bytes: this.bytes };
  }

  get bytesWritten(): number {
    return this.bytes;
  }
}

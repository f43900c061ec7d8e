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
  private bytesWritten = 0;

  constructor(private readonly bytes: number) {}

  add({ objects, bytes }: Written): void {
    this.objects += objects;
    this.bytesWritten += bytes;
    acceptObjectCount(this.objects);
    if (this.bytesWritten > this.bytes) throw new AnswerTooLargeError();
  }

  get written(): Written {
    return { objects: this.objects, bytes: this.bytesWritten };
  }
}

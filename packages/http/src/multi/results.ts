import { ServiceError } from "@sallyport/core";
import { failureText, JsonText, successText } from "../envelope.ts";
import type { Success } from "../routes/route.ts";
import type { Item } from "./item.ts";

/** The results of a multi request, written as they come, so that they take no more room than one answer may. */
export class Results {
  private readonly written: string[] = [];
  private bytes = 0;

  /** `most`: bytes of all of them; `deadline`: `performance.now()` after which nothing more is begun. */
  constructor(
    private readonly most: number,
    private readonly deadline: number,
  ) {}

  /** Why nothing more is begun: they have taken all the room (307) or all the time (706); `null` while there is some of both. */
  get hindrance(): ServiceError | null {
    if (this.bytes >= this.most) return tooLarge();
    return performance.now() > this.deadline
      ? new ServiceError(706, { retryAfter: 1, detail: "The multi request took too long." })
      : null;
  }

  /** 307 when they have taken all the room. */
  requireRoom(): void {
    if (this.bytes >= this.most) throw tooLarge();
  }

  /**
   * What was read has to fit, else 307. What was written has happened, and is told whatever room it takes; of an object, if
   * there is no room, the meta-fields are.
   */
  succeed(success: Success, { isRead, givesObject }: Pick<Item, "isRead" | "givesObject">): void {
    const text = resultText(200, successText(success));
    const bytes = Buffer.byteLength(text);
    if (this.bytes + bytes <= this.most) return this.add(text, bytes);
    if (isRead) throw tooLarge();
    const shortened = givesObject
      ? resultText(200, successText({ ...success, data: withoutAttributes(success.data) }))
      : text;
    this.add(shortened, Buffer.byteLength(shortened));
  }

  fail(failure: ServiceError, debugMessages: boolean): void {
    const text = resultText(failure.status, failureText(failure, debugMessages));
    this.add(text, Buffer.byteLength(text));
  }

  toJson(): JsonText {
    return new JsonText(`[${this.written.join(",")}]`);
  }

  private add(text: string, bytes: number): void {
    this.written.push(text);
    this.bytes += bytes;
  }
}

/** An item is answered as it would be alone: with a status and an envelope. */
function resultText(httpStatus: number, envelope: string): string {
  return `{"httpStatus":${httpStatus},"result":${envelope}}`;
}

/** The meta-fields of an object; anything else as it is. */
function withoutAttributes(data: unknown): unknown {
  if (typeof data !== "object" || data === null || !("~ObjectID" in data)) return data;
  return Object.fromEntries(Object.entries(data).filter(([name]) => name.startsWith("~")));
}

function tooLarge(): ServiceError {
  return new ServiceError(307, { detail: "The answer to all items would be too large." });
}

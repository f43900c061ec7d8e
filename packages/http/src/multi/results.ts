import { ServiceError } from "@sallyport/core";
import { JsonText } from "../envelope/json-text.ts";
import type { Success } from "../routes/route.ts";
import type { Item } from "./item.ts";

/** The results of a multi request, written as they come, so that they take no more room than one answer may. */
export class Results {
  private readonly written: string[] = [];
  private bytes = 0;

  /** `most`: bytes of all of them. */
  constructor(private readonly most: number) {}

  /** Whether they have taken all the room: then nothing more is begun. */
  get isFull(): boolean {
    return this.bytes >= this.most;
  }

  /** 307 when they have. */
  requireRoom(): void {
    if (this.isFull) throw tooLarge();
  }

  /**
   * What was read has to fit, else 307. What was written has happened, and is told whatever room it takes; of an object, if
   * there is no room, the meta-fields are.
   */
  succeed({ data }: Success, { isRead, givesObject }: Pick<Item, "isRead" | "givesObject">): void {
    const text = successText(data);
    const bytes = Buffer.byteLength(text);
    if (this.bytes + bytes <= this.most) return this.add(text, bytes);
    if (isRead) throw tooLarge();
    const shortened = givesObject ? successText(withoutAttributes(data)) : text;
    this.add(shortened, Buffer.byteLength(shortened));
  }

  fail({ status, code, detail }: ServiceError, debugMessages: boolean): void {
    const debugMessage = debugMessages && detail !== undefined ? { debugMessage: detail } : {};
    const text = JSON.stringify({ httpStatus: status, result: code, ...debugMessage });
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

function successText(data: unknown): string {
  return `{"httpStatus":200,"result":${JSON.stringify(data)}}`;
}

/** The meta-fields of an object; anything else as it is. */
function withoutAttributes(data: unknown): unknown {
  if (typeof data !== "object" || data === null || !("~ObjectID" in data)) return data;
  return Object.fromEntries(Object.entries(data).filter(([name]) => name.startsWith("~")));
}

function tooLarge(): ServiceError {
  return new ServiceError(307, { detail: "The answer to all items would be too large." });
}

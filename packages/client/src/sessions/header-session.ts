import type { IncomingMessage, OutgoingMessage } from "../transport/message.ts";
import { type ClientSession, type LogInMode, saysSessionIsOver } from "./client-session.ts";

/** A session that is proven by one header, and whose messages travel as they are. */
export class HeaderSession implements ClientSession {
  readonly #credential: Readonly<Record<string, string>>;

  constructor(
    readonly mode: LogInMode,
    header: string,
    value: string,
  ) {
    this.#credential = { [header]: value };
  }

  async seal({ headers, body }: OutgoingMessage): Promise<OutgoingMessage> {
    return { headers: { ...headers, ...this.#credential }, body };
  }

  async open(answer: IncomingMessage): Promise<IncomingMessage> {
    return answer;
  }

  isOverWith(code: number): boolean {
    return saysSessionIsOver(code);
  }
}

/** Lets whoever orders mail tell whoever sends it. */
export class MailBell {
  private listener: (alias: string) => void = () => {};

  /** There is one who listens. */
  answer(listener: (alias: string) => void): void {
    this.listener = listener;
  }

  ring(alias: string): void {
    this.listener(alias);
  }
}

/** The server has said nothing for longer than any statement may take: the cable is out, the machine is gone. */
export class SilentServer extends Error {
  override readonly name = "SilentServer";

  constructor() {
    super("The server stays silent.");
  }
}

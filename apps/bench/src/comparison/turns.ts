import { type ChildProcess, fork, type StdioOptions } from "node:child_process";
import { once } from "node:events";

/** A build asks for its next turn with this message, and gets it back as the permission. */
const turn = "turn";

/** The turns of this process. Without a bench that alternates between two builds, it need not wait for them. */
export function turnsOf(program: NodeJS.Process): () => Promise<void> {
  if (program.send === undefined) return async () => {};
  return async () => {
    const granted = once(program, "message");
    program.send?.(turn);
    await granted;
  };
}

/** The bench of one build in a process of its own. It works while it has a turn. */
export class BuildInTurns {
  private child: ChildProcess | undefined;
  private closed: Promise<void> = Promise.resolve();
  private printed = "";
  /** Whether the build has no more rounds. */
  hasEnded = false;

  constructor(
    readonly mainFile: string,
    private readonly options: readonly string[],
    private readonly environment: NodeJS.ProcessEnv = process.env,
  ) {}

  /** Lets the build work until it asks for its next turn, or ends. At first it starts, and prepares. */
  async proceed(): Promise<void> {
    if (this.hasEnded) return;
    // The end of a build closes the channel: a message that fails is noticed by that end.
    if (this.child === undefined) this.child = this.start();
    else this.child.send(turn, () => {});
    const { child } = this;
    const asked = new Promise<void>((resolve) => {
      child.once("message", () => resolve());
    });
    await Promise.race([asked, this.closed]);
  }

  /** The end of its standard error: why it wrote no figures. */
  get complaint(): string {
    return this.printed.trim();
  }

  async stop(): Promise<void> {
    if (this.hasEnded || this.child === undefined) return;
    this.child.kill("SIGTERM");
    await this.closed;
  }

  private start(): ChildProcess {
    const stdio: StdioOptions = ["ignore", "ignore", "pipe", "ipc"];
    const child = fork(this.mainFile, this.options, { env: this.environment, stdio });
    child.stderr?.on("data", (chunk: Buffer) => (this.printed = (this.printed + chunk.toString()).slice(-2_000)));
    this.closed = new Promise((ended) => {
      child.once("close", () => {
        this.hasEnded = true;
        ended();
      });
    });
    return child.on("error", () => {});
  }
}

/** Runs two builds side by side: each prepares, then each has a turn, every second time in reverse order. */
export async function alternate(builds: readonly [BuildInTurns, BuildInTurns]): Promise<void> {
  try {
    for (const build of builds) await build.proceed();
    for (let time = 0; builds.some(({ hasEnded }) => !hasEnded); time += 1) {
      for (const build of time % 2 === 0 ? builds : builds.toReversed()) await build.proceed();
    }
  } finally {
    await Promise.all(builds.map((build) => build.stop()));
  }
}

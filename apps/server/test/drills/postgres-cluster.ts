import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../providers/free-port.ts";
import { accountOf, untilSaid } from "./cluster-process.ts";

const installed = "/usr/lib/postgresql";

/** The folder with Postgres's programs, which must include `pg_basebackup`; `null` if this machine has none. */
export function postgresPrograms(): string | null {
  const found = existsSync(installed) ? readdirSync(installed).map((version) => join(installed, version, "bin")) : [];
  const path = (process.env["PATH"] ?? "").split(":");
  return [...found, ...path].find((folder) => existsSync(join(folder, "pg_basebackup"))) ?? null;
}

/** One server of the cluster. */
export interface ClusterServer {
  readonly port: number;
  /** Connection string of this server alone. */
  readonly url: string;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Starts it again after a crash; resolves when it accepts connections. */
  restart(): Promise<void>;
  /** Milliseconds of CPU time that its processes have used. */
  cpu(): number;
  /** Suspends all its processes, like a frozen machine; or lets them continue. */
  freeze(on: boolean): void;
  /** Makes a standby stop to follow its primary. */
  detach(): Promise<void>;
  /** Runs a statement as the superuser. */
  run<Row>(text: string): Promise<Row[]>;
  /** Makes a standby the primary; resolves when it accepts writes. */
  promote(): Promise<void>;
}

/** A primary and a streaming standby on loopback, with durable commits. */
export class PostgresCluster {
  readonly primary: ClusterServer;
  readonly standby: ClusterServer;

  private constructor(
    private readonly directory: string,
    servers: readonly [ClusterServer, ClusterServer],
  ) {
    [this.primary, this.standby] = servers;
  }

  /** @param synchronous whether a commit waits for the standby */
  static async start(programs: string, synchronous: boolean): Promise<PostgresCluster> {
    const directory = mkdtempSync(join(tmpdir(), "sallyport-cluster-"));
    chmodSync(directory, 0o755);
    // Postgres refuses to run as root.
    const account = process.getuid?.() === 0 ? accountOf("nobody") : undefined;
    if (account !== undefined) chownSync(directory, account.uid, account.gid);
    const execute = (program: string, ...args: string[]) =>
      execFileSync(join(programs, program), args, { ...account, cwd: directory, stdio: "pipe" });
    const [one, other] = [join(directory, "one"), join(directory, "other")];
    const start = async (data: string, settings: readonly string[]): Promise<ClusterServer> => {
      const port = await freePort();
      const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
      const place = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${directory}`];
      const flags = [...place, ...settings].flatMap((each) => ["-c", each]);
      let child: ChildProcess;
      const launch = async () => {
        child = spawn(join(programs, "postgres"), ["-D", data, ...flags], {
          ...account,
          cwd: directory,
          stdio: ["ignore", "ignore", "pipe"],
        });
        await untilSaid(child, /ready to accept (?:read-only )?connections/);
      };
      await launch();
      // Each process of a server has a session of its own.
      const processes = () => {
        const children = execFileSync("pgrep", ["-P", `${child.pid}`], { encoding: "utf8" }).split("\n");
        return [child.pid, ...children].map(Number).filter((pid) => pid > 0);
      };
      const signal = (name: NodeJS.Signals) => {
        for (const pid of processes()) {
          try {
            process.kill(pid, name);
          } catch (error) {
            // A session can end during the loop.
            if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
          }
        }
      };
      const query = async <Row>(text: string): Promise<Row[]> => {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        try {
          return (await client.query(text)).rows as Row[];
        } finally {
          await client.end();
        }
      };
      return {
        port,
        url,
        restart: launch,
        cpu: () => processes().reduce((sum, pid) => sum + cpuOf(pid, pid === child.pid), 0),
        run: query,
        detach: async () => {
          await query("alter system set primary_conninfo = ''");
          await query("select pg_reload_conf()");
          const receivers = "select count(*)::integer as count from pg_stat_wal_receiver";
          while ((await query<{ count: number }>(receivers))[0]?.count !== 0) await pause(10);
        },
        kill: async () => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const ended = once(child, "exit");
          signal("SIGKILL");
          await ended;
        },
        freeze: (on) => signal(on ? "SIGSTOP" : "SIGCONT"),
        promote: async () => {
          execute("pg_ctl", "promote", "-D", data, "--wait");
        },
      };
    };
    execute("initdb", "-D", one, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8");
    const replicated = synchronous ? ["synchronous_standby_names=standby"] : [];
    const primary = await start(one, ["wal_level=logical", "max_connections=100", ...replicated]);
    const source = `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`;
    execute("pg_basebackup", "-D", other, "-d", source, "--write-recovery-conf", "--checkpoint=fast");
    const standby = await start(other, ["max_connections=100"]);
    return new PostgresCluster(directory, [primary, standby]);
  }

  /** Connection string with both hosts. */
  url(): string {
    return `postgres://postgres@127.0.0.1:${this.primary.port},127.0.0.1:${this.standby.port}/postgres`;
  }

  async stop(): Promise<void> {
    for (const server of [this.primary, this.standby]) {
      await server.kill();
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** User and system time of a process, in milliseconds; with that of its ended children. 0 if it has ended. */
function cpuOf(pid: number, withChildren: boolean): number {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return 0;
  }
  const ticks = text
    .replace(/^.*\) /, "")
    .split(" ")
    .slice(11, withChildren ? 15 : 13);
  return ticks.reduce((sum, each) => sum + Number(each) * 10, 0);
}

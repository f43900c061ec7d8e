import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../providers/free-port.ts";
import { accountOf, untilSaid } from "./cluster-process.ts";

const installed = ["/usr/lib/galera", "/usr/lib64/galera-4", "/usr/lib64/galera"];
const needed = ["mariadbd", "mariadb-install-db", "rsync"];

/** The library of Galera, if MariaDB and `rsync` are installed beside it; else `null`. */
export function galeraLibrary(): string | null {
  const path = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin"];
  if (!needed.every((program) => path.some((folder) => existsSync(join(folder, program))))) return null;
  return installed.map((folder) => join(folder, "libgalera_smm.so")).find((file) => existsSync(file)) ?? null;
}

/** One node of the cluster. */
export interface ClusterNode {
  readonly port: number;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
}

/** Nodes of MariaDB on loopback that replicate each commit to one another, with durable commits. */
export class GaleraCluster {
  readonly nodes: ClusterNode[] = [];
  private readonly directory = mkdtempSync(join(tmpdir(), "sallyport-galera-"));
  /** MariaDB refuses to run as root. */
  private readonly account = process.getuid?.() === 0 ? accountOf("nobody") : undefined;

  private readonly environment = {
    ...process.env,
    PATH: `${process.env["PATH"]}:/usr/sbin`,
    TMPDIR: this.directory,
  };

  private constructor(private readonly library: string) {}

  static async start(library: string, count: number): Promise<GaleraCluster> {
    const cluster = new GaleraCluster(library);
    try {
      await cluster.fill(count);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** Connection string of a node for its administrator. */
  url(node: number): string {
    return `mysql://root@127.0.0.1:${this.nodes[node]?.port}/sallyport`;
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) await node.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async fill(count: number): Promise<void> {
    chmodSync(this.directory, 0o755);
    this.own(this.directory);
    const how = { ...this.account, env: this.environment, cwd: this.directory, stdio: "pipe" } as const;
    const data = (name: string) => join(this.directory, name);
    const first = ["--auth-root-authentication-method=normal", "--skip-test-db", `--datadir=${data("node1")}`];
    execFileSync("mariadb-install-db", ["--no-defaults", ...first], how);
    const member = `127.0.0.1:${await freePort()}`;
    await this.join("node1", member, "gcomm://");
    for (let number = 2; number <= count; number += 1) {
      // A new node copies the data of another one.
      mkdirSync(data(`node${number}`));
      this.own(data(`node${number}`));
      await this.join(`node${number}`, `127.0.0.1:${await freePort()}`, `gcomm://${member}`);
    }
  }

  private async join(name: string, member: string, cluster: string): Promise<void> {
    const data = join(this.directory, name);
    const [port, copy, missed] = [await freePort(), await freePort(), await freePort()];
    const settings = {
      datadir: data,
      socket: join(this.directory, `${name}.sock`),
      "bind-address": "127.0.0.1",
      port,
      "binlog-format": "ROW",
      "innodb-autoinc-lock-mode": 2,
      "innodb-flush-log-at-trx-commit": 1,
      "innodb-buffer-pool-size": "64M",
      "wsrep-on": "ON",
      "wsrep-provider": this.library,
      "wsrep-provider-options": `gmcast.listen_addr=tcp://${member};ist.recv_addr=127.0.0.1:${missed};gcache.size=32M`,
      "wsrep-cluster-name": "sallyport",
      "wsrep-cluster-address": cluster,
      "wsrep-node-name": name,
      "wsrep-node-address": member,
      "wsrep-sst-method": "rsync",
      "wsrep-sst-receive-address": `127.0.0.1:${copy}`,
    };
    const flags = Object.entries(settings).map(([key, value]) => `--${key}=${value}`);
    const child = spawn("mariadbd", ["--no-defaults", ...flags], {
      ...this.account,
      env: this.environment,
      cwd: this.directory,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.nodes.push({
      port,
      kill: async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
      },
    });
    await untilSaid(child, /Synchronized with group, ready for connections/);
  }

  private own(path: string): void {
    if (this.account !== undefined) chownSync(path, this.account.uid, this.account.gid);
  }
}

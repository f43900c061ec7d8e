import pg from "pg";
import { hostText, needsWritable, parseAddress, type ServerHost, type ServerTls, tlsOf } from "../server-address.ts";

/** Where a Postgres server runs. */
export interface PostgresAddress {
  /** The settings of a connection to each host, in the given order. */
  readonly hosts: readonly [HostSettings, ...HostSettings[]];
  /** Whether connections must accept writes. */
  readonly writable: boolean;
}

/** The driver's settings that a connection string contains. */
export type HostSettings = pg.ClientConfig & ServerHost;

/** Reads a connection string, see `parseAddress`. */
export function addressOf(url: string): PostgresAddress {
  const address = parseAddress(url);
  const { hosts, user, password, database, parameters } = address;
  const tls = tlsOf(address);
  // Without a word about encryption, the environment of the driver decides.
  const unencrypted = parameters.has("sslmode") || parameters.has("ssl") ? { ssl: false } : {};
  const own = new Set(["ssl", "sslmode", "sslrootcert", "sslcert", "sslkey", "uselibpqcompat", "target_session_attrs"]);
  const common: pg.ClientConfig = {
    ...Object.fromEntries([...parameters].filter(([name]) => !own.has(name))),
    ...(user === "" ? {} : { user }),
    ...(password === "" ? {} : { password }),
    ...(database === "" ? {} : { database }),
    ...(tls === undefined ? unencrypted : { ssl: driverTls(tls) }),
  };
  const settings = hosts.map((host): HostSettings => ({ ...common, ...host }));
  return { hosts: settings as [HostSettings, ...HostSettings[]], writable: needsWritable(address) };
}

function driverTls({ verifiesAuthority, verifiesHost, ...files }: ServerTls): Exclude<pg.ClientConfig["ssl"], boolean> {
  const anyHost = verifiesHost ? {} : { checkServerIdentity: () => undefined };
  return { rejectUnauthorized: verifiesAuthority, ...anyHost, ...files };
}

/** The process behind a connection, and whether its sessions can only read. */
const serverQuery = `select pg_backend_pid() as pid,
  pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`;

/**
 * Asks who serves a new connection. Fails if that must accept writes and does not. A pooler answers for a process that
 * is not the one it named to the client.
 */
export function identifyServer(
  client: pg.ClientBase,
  writable: boolean,
  done: (error: Error | undefined, isPooler: boolean) => void,
): void {
  client.query<{ pid: number; read_only: boolean }>(serverQuery, (error: Error | null, result) => {
    if (error) return done(error, false);
    const [{ pid, read_only: isReadOnly }] = result.rows as [{ pid: number; read_only: boolean }];
    const { processID } = client as unknown as { readonly processID: number };
    done(writable && isReadOnly ? new ReadOnlyServer() : undefined, pid !== processID);
  });
}

/** The server accepts no writes. The code is that of a refused write. */
class ReadOnlyServer extends Error {
  readonly code = "25006";

  constructor() {
    super("The server accepts no writes.");
  }
}

/** A pooler refuses a startup parameter that it cannot pass on: 08P01 of PgBouncer, 0A000 of others. */
function isRefusedParameter(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return code === "0A000" || (code === "08P01" && /startup parameter/.test(String(message)));
}

/** Milliseconds for which an answer of the current host, or of an earlier one in the list, is preferred. */
const precedence = 250;

/** The settings of sessions that a pooler can refuse. */
const ofSession = ["statement_timeout", "idle_in_transaction_session_timeout", "options"] as const;

/** The host of new connections: the one that accepts writes. */
export class PostgresHosts {
  /** The settings that lead to the host. */
  current: HostSettings;
  private readonly hosts: readonly HostSettings[];
  /** Hosts that refuse startup parameters. */
  private readonly poolers = new Set<string>();
  private round: Promise<boolean> | undefined;

  /**
   * @param settings those of a connection, besides its host
   * @param onMove called after `current` has changed
   */
  constructor(
    private readonly address: PostgresAddress,
    private readonly settings: pg.ClientConfig,
    private readonly onMove: () => void,
  ) {
    this.hosts = address.hosts;
    this.current = address.hosts[0];
  }

  /** Whether another host can take over. */
  get areSeveral(): boolean {
    return this.hosts.length > 1;
  }

  /** The settings of a connection to a host. A pooler that refuses those of the session gets none: its role has them. */
  settingsOf<Settings extends pg.ClientConfig>(settings: Settings, host = this.current): Settings {
    const { statement_timeout: _1, idle_in_transaction_session_timeout: _2, options: _3, ...others } = settings;
    return { ...((this.poolers.has(hostText(host)) ? others : settings) as Settings), ...host };
  }

  /**
   * Whether a host refused a connection because of the session's settings in it. The next one is without them. A host that
   * refuses that one refuses what the address asks for.
   */
  refuses(settings: pg.ClientConfig, error: unknown): boolean {
    const name = hostText({ host: settings.host ?? "", port: settings.port ?? 0 });
    const own: pg.ClientConfig = this.hosts.find((host) => hostText(host) === name) ?? {};
    if (!isRefusedParameter(error) || ofSession.every((each) => settings[each] === own[each])) return false;
    this.poolers.add(name);
    return true;
  }

  /** Asks all hosts and moves to the one that accepts writes. Concurrent callers share one round. `false` if none was found. */
  find(): Promise<boolean> {
    this.round ??= this.ask().finally(() => {
      this.round = undefined;
    });
    return this.round;
  }

  private async ask(): Promise<boolean> {
    const order = [this.current, ...this.hosts.filter((host) => host !== this.current)];
    const primary = await new Promise<HostSettings | undefined>((resolve) => {
      const fit = new Set<HostSettings>();
      const settle = () => resolve(order.find((host) => fit.has(host)));
      const all = order.map(async (host, index) => {
        if (!(await this.isFit(host))) return;
        fit.add(host);
        if (index === 0) settle();
        else setTimeout(settle, precedence);
      });
      void Promise.all(all).then(settle);
    });
    if (primary === undefined) return false;
    if (primary !== this.current) {
      this.current = primary;
      this.onMove();
    }
    return true;
  }

  private async isFit(host: HostSettings): Promise<boolean> {
    const settings = this.settingsOf(this.settings, host);
    const client = new pg.Client(settings);
    client.on("error", () => {});
    try {
      await client.connect();
      await new Promise<void>((resolve, reject) => {
        identifyServer(client, this.address.writable, (error) => (error === undefined ? resolve() : reject(error)));
      });
      return true;
    } catch (error) {
      return this.refuses(settings, error) && (await this.isFit(host));
    } finally {
      // `end` would wait for answers.
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    }
  }
}

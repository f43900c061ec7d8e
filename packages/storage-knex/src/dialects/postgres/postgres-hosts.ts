import pg from "pg";

/** Where a Postgres server runs. */
export interface PostgresAddress {
  /** One connection string per host, in the given order. */
  readonly urls: readonly [string, ...string[]];
  /** Whether connections must accept writes. */
  readonly writable: boolean;
}

/** Query parameters that the driver understands, and the path of a socket. */
const driverParameters = new Set(
  [
    ["host", "port", "user", "password", "application_name", "client_encoding", "options"],
    ["ssl", "sslmode", "sslcert", "sslkey", "sslrootcert", "sslnegotiation", "uselibpqcompat"],
    ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "query_timeout"],
  ].flat(),
);

/**
 * Parses `postgres://user:password@host:5432,other:5432/database?target_session_attrs=read-write`. Several hosts are
 * servers of one cluster, of which one accepts writes. `target_session_attrs` is `any`, or `read-write` or `primary`,
 * which is the default for several hosts. Other parameters are those of the driver. Unknown ones are refused, so that an
 * ignored setting never appears to be in force.
 */
export function addressOf(url: string): PostgresAddress {
  const [, scheme = "", credentials = "", hosts = "", rest = ""] =
    /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/.exec(url) ?? [];
  const [path = "", query = ""] = rest.split("?");
  const given = [...new URLSearchParams(query)];
  const unknown = given.map(([name]) => name).filter((name) => name !== attributes && !driverParameters.has(name));
  if (unknown.length > 0) throw new Error(`The database URL has unknown parameters: ${unknown.join(", ")}.`);
  const list = hosts.split(",");
  const wanted = new URLSearchParams(query).get(attributes) ?? (list.length > 1 ? "read-write" : "any");
  if (!["any", "read-write", "primary"].includes(wanted))
    throw new Error("The target_session_attrs of the database URL must be read-write, primary or any.");
  const kept = query.split("&").filter((each) => each !== "" && !each.startsWith(`${attributes}=`));
  const suffix = `${path}${kept.length === 0 ? "" : `?${kept.join("&")}`}`;
  const urls = list.map((host) => (hosts === "" ? url : `${scheme}${credentials}${host}${suffix}`));
  for (const each of urls) assertReadable(each);
  return { urls: urls as [string, ...string[]], writable: wanted !== "any" };
}

const attributes = "target_session_attrs";

function assertReadable(url: string): void {
  try {
    void new pg.Client({ connectionString: url });
  } catch {
    // The driver's error repeats the URL, password included.
    throw new Error("The database URL is invalid.");
  }
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

/** The host of new connections: the one that accepts writes. */
export class PostgresHosts {
  /** Connection string of the host. */
  current: string;
  private readonly urls: readonly string[];
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
    this.urls = address.urls;
    this.current = address.urls[0];
  }

  /** Whether another host can take over. */
  get areSeveral(): boolean {
    return this.urls.length > 1;
  }

  /** The settings of a connection to a host. A pooler that refuses those of the session gets none: its role has them. */
  settingsOf<Settings extends pg.ClientConfig>(settings: Settings, url = this.current): Settings {
    const { statement_timeout: _1, idle_in_transaction_session_timeout: _2, options: _3, ...others } = settings;
    return { ...((this.poolers.has(url) ? others : settings) as Settings), connectionString: url };
  }

  /** Whether a host refused a connection because of the session's settings in it. The next one is without them. */
  refuses({ connectionString = "", options }: pg.ClientConfig, error: unknown): boolean {
    if (options === undefined || !isRefusedParameter(error)) return false;
    this.poolers.add(connectionString);
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
    const order = [this.current, ...this.urls.filter((url) => url !== this.current)];
    const found = await new Promise<string | undefined>((resolve) => {
      const fit = new Set<string>();
      const settle = () => resolve(order.find((url) => fit.has(url)));
      const all = order.map(async (url, index) => {
        if (!(await this.isFit(url))) return;
        fit.add(url);
        if (index === 0) settle();
        else setTimeout(settle, precedence);
      });
      void Promise.all(all).then(settle);
    });
    if (found === undefined) return false;
    if (found !== this.current) {
      this.current = found;
      this.onMove();
    }
    return true;
  }

  private async isFit(url: string): Promise<boolean> {
    const settings = this.settingsOf(this.settings, url);
    const client = new pg.Client(settings);
    client.on("error", () => {});
    try {
      await client.connect();
      await new Promise<void>((resolve, reject) => {
        identifyServer(client, this.address.writable, (error) => (error === undefined ? resolve() : reject(error)));
      });
      return true;
    } catch (error) {
      return this.refuses(settings, error) && (await this.isFit(url));
    } finally {
      // `end` would wait for answers.
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    }
  }
}

import type { Attributes, Digests, ObjectId } from "@sallyport/storage";
import type { SyncSchema } from "@sallyport/core";

interface PersonName {
  readonly Name1: string;
  readonly Name2: string;
  readonly Name3: string;
}

/** Personal data of a demo user. */
export interface DemoUser {
  readonly user: DemoUserName;
  readonly description: string;
  readonly group: { readonly Name: string; readonly Description: string };
  readonly administrator: boolean;
  readonly employee: PersonName;
  readonly contact: PersonName;
}

export const demoUsers: readonly DemoUser[] = [
  {
    user: "demo",
    description: "Works with customers and invoices",
    group: { Name: "Sales", Description: "Reads and writes customers and invoices" },
    administrator: false,
    employee: { Name1: "Merrow", Name2: "Ottilie", Name3: "Sales" },
    contact: { Name1: "Tidewell", Name2: "Anselm", Name3: "Front office" },
  },
  {
    user: "reader",
    description: "Has read-only access",
    group: { Name: "Readers", Description: "Reads customers and invoices" },
    administrator: false,
    employee: { Name1: "Quince", Name2: "Barnaby", Name3: "Accounting" },
    contact: { Name1: "Fennimore", Name2: "Lucasta", Name3: "Front office" },
  },
  {
    user: "admin",
    description: "Administers the database",
    group: { Name: "Administrators", Description: "Administers the database" },
    administrator: true,
    employee: { Name1: "Hollis", Name2: "Perpetua", Name3: "Operations" },
    contact: { Name1: "Underhill", Name2: "Crispin", Name3: "Front office" },
  },
];

/** Public credentials of the demo. The banner prints them. */
export const demoCredentials = {
  appKey: "demo-app-key",
  apps: [
    { name: "demo-app", seats: null, secondFactor: "off" },
    { name: "demo-seats", seats: 2, secondFactor: "off" },
    { name: "demo-2fa", seats: null, secondFactor: "optional" },
  ],
  users: [
    { name: "demo", password: "demo", may: "reads and writes customers and invoices" },
    { name: "reader", password: "reader", may: "reads customers and invoices" },
    { name: "admin", password: "admin", may: "administrator, reads and writes everything" },
  ],
  /** A custom user acts as the mapped user. */
  customUsers: [{ name: "partner", password: "partner", user: "reader", email: "partner@example.com" }],
} as const;

export type DemoUserName = (typeof demoCredentials.users)[number]["name"];
export type DemoCustomUserName = (typeof demoCredentials.customUsers)[number]["name"];

/** UUID (version 8) of a demo object. It depends only on alias, class and index. */
export function demoUuid(digests: Digests, alias: string, className: string, index: number): string {
  const digits = digests.sha256(`demo/${alias}/${className}/${index}`);
  const variant = "89ab"[Number.parseInt(digits.slice(16, 17), 16) % 4] as string;
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    variant + digits.slice(17, 20),
    digits.slice(20, 32),
  ].join("-");
}

const customerCount = 200;

const makers = [
  ..."Amberfold Bramblecott Cloudwick Dapplemere Emberlyn Fernhollow Gallowmint Hazelbourne Inkwater".split(" "),
  ..."Juniperfall Kestrelby Lanternmoor Mistlegrove Nettlecombe Oakenshaw Pebblewright Quillhaven".split(" "),
  ..."Rookfield Silverthrift Thimblegate Umberdale Velvetstone Willowmarch Yarrowby Zephyrhall".split(" "),
];

const trades = [
  ..."Airships, Barometers, Clockworks, Compasses, Ferries, Kites, Lamps, Looms, Orchards, Paper Mills".split(", "),
  ..."Pianos, Telescopes".split(", "),
];

/** Cities and their countries. */
const places = [
  ..."Aarhus, Denmark; Bergen, Norway; Braga, Portugal; Córdoba, Spain; Debrecen, Hungary; Galway, Ireland".split("; "),
  ..."Gent, Belgium; Graz, Austria; Groningen, Netherlands; Leipzig, Germany; Ljubljana, Slovenia".split("; "),
  ..."Nantes, France; Plovdiv, Bulgaria; Poznań, Poland; Tampere, Finland; Tartu, Estonia; Trieste, Italy".split("; "),
  ..."Uppsala, Sweden; York, United Kingdom; Zürich, Switzerland".split("; "),
].map((place) => place.split(", ") as [string, string]);

/** Fictitious companies in real cities. Their mail domains are reserved for examples. */
export function demoCustomers(random: SeededRandom): Attributes[] {
  const names = random.shuffled(makers.flatMap((maker) => trades.map((trade) => `${maker} ${trade}`)));
  return names.slice(0, customerCount).map((name) => {
    const [city, country] = random.pick(places);
    return {
      Name: name,
      City: city,
      Country: country,
      Email: `office@${name.toLowerCase().replaceAll(" ", "-")}.example.com`,
      Since: dayAfter("2009-01-01", random.whole(0, 16 * 365)),
      CreditLimit: random.whole(2, 100) * 500,
      Active: random.next() < 0.9,
    };
  });
}

const invoiceCount = 1_000;
const firstDay = "2025-01-02";
const invoiceDays = 540;
/** Invoices due before this day are usually paid, later ones rarely. */
const balanceDay = "2026-05-15";

/** Invoices to these customers, by ascending date and number. */
export function demoInvoices(random: SeededRandom, customers: readonly ObjectId[]): Attributes[] {
  return Array.from({ length: invoiceCount }, (_, index) => {
    const date = dayAfter(firstDay, Math.floor((index * invoiceDays) / invoiceCount));
    const due = dayAfter(date, random.pick([14, 30, 30, 60]));
    return {
      Number: `${date.slice(0, 4)}-${String(index + 1).padStart(5, "0")}`,
      Date: date,
      Due: due,
      Amount: random.whole(4_500, 1_250_000) / 100,
      Paid: random.next() < (due < balanceDay ? 0.96 : 0.2),
      Customer: random.pick(customers),
    };
  });
}

/** The schema of synchronization. */
export const demoSyncSchema: SyncSchema = {
  name: "sales",
  classes: ["Customer", "Invoice"].map((className) => ({ className, fields: null })),
  where: null,
  direction: "both",
  conflicts: "client",
  pageSize: 500,
};

/** Number of invoices with a document, the latest. */
export const documentCount = 3;

/** The document of an invoice, a small text. */
export function demoDocument({ Number: number, Date: date, Due: due, Amount: amount }: Attributes, customer: string) {
  const text = `Invoice ${number}\n\nCustomer: ${customer}\nDate: ${date}\nDue: ${due}\nAmount: ${amount}\n`;
  return { name: `invoice-${number}.txt`, mediaType: "text/plain", text };
}

/** A deterministic pseudo-random generator. The same seed yields the same sequence on every machine. */
export class SeededRandom {
  private state: number;

  constructor(seed: string) {
    let state = 0x811c9dc5;
    for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) as number), 0x01000193);
    this.state = state;
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer; both bounds are inclusive. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.whole(0, choices.length - 1)] as T;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const rest = [...items];
    return items.map(() => rest.splice(this.whole(0, rest.length - 1), 1)[0] as T);
  }
}

const day = 24 * 60 * 60 * 1000;

/** Adds days to a date. Both dates are `yyyy-MM-dd`. */
function dayAfter(start: string, days: number): string {
  return new Date(Date.parse(start) + days * day).toISOString().slice(0, 10);
}

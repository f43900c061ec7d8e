import type { Digests } from "@sallyport/core";

interface PersonName {
  readonly Name1: string;
  readonly Name2: string;
  readonly Name3: string;
}

/** Who is behind the users of the demo. */
export interface DemoPerson {
  readonly user: DemoUserName;
  readonly description: string;
  readonly group: { readonly Name: string; readonly Description: string };
  readonly administrator: boolean;
  readonly employee: PersonName;
  readonly contact: PersonName;
}

export const demoPeople: readonly DemoPerson[] = [
  {
    user: "demo",
    description: "Works with customers and invoices",
    group: { Name: "Sales", Description: "Looks after customers and invoices" },
    administrator: false,
    employee: { Name1: "Merrow", Name2: "Ottilie", Name3: "Sales" },
    contact: { Name1: "Tidewell", Name2: "Anselm", Name3: "Front office" },
  },
  {
    user: "reader",
    description: "Looks, and touches nothing",
    group: { Name: "Readers", Description: "Read customers and invoices" },
    administrator: false,
    employee: { Name1: "Quince", Name2: "Barnaby", Name3: "Accounting" },
    contact: { Name1: "Fennimore", Name2: "Lucasta", Name3: "Front office" },
  },
  {
    user: "admin",
    description: "Keeps the database in order",
    group: { Name: "Administrators", Description: "Run the database" },
    administrator: true,
    employee: { Name1: "Hollis", Name2: "Perpetua", Name3: "Operations" },
    contact: { Name1: "Underhill", Name2: "Crispin", Name3: "Front office" },
  },
];

/** What opens the demo; printed at every start, so no secrets. */
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
  /** Mapped to a user: whoever logs in as one of them works as that user. */
  customUsers: [{ name: "partner", password: "partner", user: "reader", email: "partner@example.com" }],
} as const;

export type DemoUserName = (typeof demoCredentials.users)[number]["name"];
export type DemoCustomUserName = (typeof demoCredentials.customUsers)[number]["name"];

/** The UUID (version 8) of an object of the demo: the same in every demo with this alias. */
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

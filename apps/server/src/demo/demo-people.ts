import type { DemoUserName } from "./demo-credentials.ts";

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

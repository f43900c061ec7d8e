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

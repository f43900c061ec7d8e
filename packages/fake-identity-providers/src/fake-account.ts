/** An account that exists at every fake provider. */
export interface FakeAccount {
  /** Local part of the e-mail address. */
  readonly id: string;
  /** The subject identifier. */
  readonly subject: string;
  readonly name: string;
  readonly surname: string;
  readonly email: string;
  /** The user's directory (tenant) at Microsoft. */
  readonly directory: string;
}

const account = (id: string, number: number, name: string, surname: string, directory: string): FakeAccount => ({
  id,
  subject: `1000000000000000000${number}`,
  name,
  surname,
  email: `${id}@example.com`,
  directory,
});

const oneOrganisation = "11111111-1111-4111-8111-111111111111";
const another = "22222222-2222-4222-8222-222222222222";

export const fakeAccounts: readonly FakeAccount[] = [
  account("anna", 1, "Anna", "Example", oneOrganisation),
  account("ben", 2, "Ben", "Example", oneOrganisation),
  account("chloe", 3, "Chloé", "Exemple", another),
];

export const accountNamed = (id: string): FakeAccount | null => fakeAccounts.find((each) => each.id === id) ?? null;

/** `count` accounts: the named ones, then numbered ones. */
export function accountsOf(count: number): readonly FakeAccount[] {
  const numbers = Array.from(
    { length: Math.max(0, count - fakeAccounts.length) },
    (_, index) => fakeAccounts.length + index + 1,
  );
  return [
    ...fakeAccounts,
    ...numbers.map((number) => account(`account${number}`, number, "Account", String(number), oneOrganisation)),
  ].slice(0, count);
}

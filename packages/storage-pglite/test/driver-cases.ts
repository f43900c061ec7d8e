import type { DriverCase } from "./driver-case.ts";
import { failureCases } from "./failure-cases.ts";
import { statementCases } from "./statement-cases.ts";
import { typeCases } from "./type-cases.ts";

/** The tables of the cases. */
export const schema = `
  create table parents (id int primary key, name text not null unique, age int check (age >= 0));
  create table children (id serial primary key, parent_id int not null references parents deferrable);
  create table items (id bigserial primary key, label text not null, made_at timestamptz not null default now());
  create table narrow (a varchar(3));
  insert into parents values (1, 'first', 30), (2, 'second', null);
  insert into children (parent_id) values (1);
`;

export const driverCases: readonly DriverCase[] = [...typeCases, ...failureCases, ...statementCases];

import type { Migration } from "./migration.ts";

/** The numbers of objects that were given out, as a transaction that is taken back cannot take back. */
export const objectNumbers: Migration = {
  name: "0004-object-numbers",
  statements: ({ objectNumbers: sequence }) => [
    `create sequence if not exists ${sequence} minvalue 0 start with 1 nocache engine = InnoDB`,
  ],
};

import { acceptStorable } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import type { ArchivedTable } from "./archived-table.ts";

export function archivedSecondFactors({ secondFactors }: Tables): ArchivedTable<"secondFactors"> {
  return {
    select: `select subject, app_name, sealed_secret, confirmed, last_step, recovery_codes from ${secondFactors} order by subject, app_name`,
    recordOf: (row) => ({
      section: "secondFactors",
      subject: row["subject"] as string,
      appName: row["app_name"] as string,
      sealedSecret: row["sealed_secret"] as string,
      confirmed: row["confirmed"] as boolean,
      lastStep: Number(row["last_step"]),
      recoveryCodes: row["recovery_codes"] as string[],
    }),
    table: secondFactors,
    columns: ["subject", "app_name", "sealed_secret", "confirmed", "last_step", "recovery_codes"],
    rowsOf: ({ subject, appName, sealedSecret, confirmed, lastStep, recoveryCodes }) => {
      acceptStorable([subject, appName, sealedSecret]);
      return [[subject, appName, sealedSecret, confirmed, lastStep, JSON.stringify(recoveryCodes)]];
    },
  };
}

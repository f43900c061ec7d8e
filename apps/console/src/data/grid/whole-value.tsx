import { Skeleton, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTexts } from "../../language/language.tsx";
import { Dialog } from "../../page-parts/dialog.tsx";
import { FailureDetails } from "../../notices/notices.tsx";
import { cellText, type ObjectRow } from "../cell-text.ts";
import type { ValueColumn } from "../columns.ts";
import { titleOf } from "../object-title.ts";

/** A cell of a list. */
export interface ShownCell {
  readonly row: ObjectRow;
  readonly column: ValueColumn;
}

interface WholeValueProps {
  /** `null` closes the dialog. */
  readonly cell: ShownCell | null;
  readonly titlePath: string | null;
  /** Reads rows with whole values. */
  readWhole(rows: readonly ObjectRow[]): Promise<readonly ObjectRow[]>;
  onClose(): void;
}

/** The whole of a text whose beginning a list shows. */
export function WholeValue({ cell, titlePath, readWhole, onClose }: WholeValueProps) {
  const title = cell === null ? "" : `${cell.column.name}: ${titleOf(cell.row, titlePath)}`;
  return (
    <Dialog isOpen={cell !== null} size="xl" title={title} onClose={onClose}>
      {cell !== null && <Value {...cell} label={title} readWhole={readWhole} />}
    </Dialog>
  );
}

function Value({ row, column, label, readWhole }: ShownCell & Pick<WholeValueProps, "readWhole"> & { label: string }) {
  const texts = useTexts();
  const { data, error } = useQuery({
    queryKey: ["objects", row["~ClassName"], "whole", row["~ObjectID"], column.name, row["~StoreTime"]],
    queryFn: async () => (await readWhole([row]))[0] ?? row,
    gcTime: 0,
  });
  if (error !== null) return <FailureDetails error={error} />;
  if (data === undefined) return <Skeleton height={220} aria-label={texts.common.loading} />;
  return <Textarea aria-label={label} readOnly autosize minRows={8} maxRows={24} value={cellText(data, column)} />;
}

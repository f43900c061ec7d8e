import { Paper, Skeleton, Stack, Table, Title } from "@mantine/core";
import type { ClassStructure } from "@sallyport/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useClasses } from "../classes/use-classes.ts";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { FailureDetails } from "../notices/notices.tsx";
import { Cell } from "./cell.tsx";
import type { ObjectRow } from "./cell-text.ts";
import { columnsOf, fieldsOf } from "./columns.ts";
import { titleAttributeOf, titleOf } from "./object-title.ts";

/** An object with all its values. */
export function ObjectPage() {
  const texts = useTexts();
  const { className = "" } = useParams({ strict: false });
  const { data, error } = useClasses();
  const structure = data?.find(({ name }) => name === className);
  if (data !== undefined && structure !== undefined) return <StoredObject structure={structure} all={data} />;
  if (error !== null) return <FailureDetails error={error} />;
  return <Skeleton height={220} aria-label={texts.common.loading} />;
}

function StoredObject({ structure, all }: { readonly structure: ClassStructure; readonly all: ClassStructure[] }) {
  const texts = useTexts();
  const connection = useConnection();
  const { objectId = "" } = useParams({ strict: false });
  const columns = columnsOf(structure, all);
  const { data, error } = useQuery({
    queryKey: ["objects", structure.name, "object", objectId],
    queryFn: ({ signal }) =>
      connection.work((client) =>
        client.getObject<ObjectRow>(objectId, {
          signal,
          serialization: { type: "custom", fields: fieldsOf(columns) },
        }),
      ),
  });
  if (error !== null) return <FailureDetails error={error} />;
  if (data === undefined) return <Skeleton height={220} aria-label={texts.common.loading} />;
  return (
    <Stack>
      <Title order={1} size="h2">
        {titleOf(data, titleAttributeOf(structure))}
      </Title>
      <Paper withBorder>
        <Table aria-label={texts.objects.values}>
          <Table.Tbody>
            {columns.map((column) => (
              <Table.Tr key={column.name}>
                <Table.Th>{texts.objects.meta(column.name) ?? column.name}</Table.Th>
                <Table.Td>
                  <Cell row={data} column={column} isTitle={false} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
    </Stack>
  );
}

import { Badge, Paper, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useClasses } from "../classes/use-classes.ts";
import { useTexts } from "../language/language.tsx";
import { FailureDetails } from "../notices/notices.tsx";

/** A class with its attributes. */
export function ClassPage() {
  const texts = useTexts();
  const { className = "" } = useParams({ strict: false });
  const { data, error, isPending } = useClasses();
  const found = data?.find(({ name }) => name === className);
  return (
    <Stack>
      <Title order={1} size="h2">
        {className}
      </Title>
      {isPending && <Skeleton height={120} />}
      {error !== null && <FailureDetails error={error} />}
      {data !== undefined && found === undefined && <Text c="dimmed">{texts.classes.unknown(className)}</Text>}
      {found !== undefined && (
        <Paper withBorder>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.classes.attributes}</Table.Th>
                <Table.Th>{texts.classes.type}</Table.Th>
                <Table.Th>{texts.classes.target}</Table.Th>
                <Table.Th>{texts.classes.mandatory}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {found.attributes.map(({ name, type, target, mandatory }) => (
                <Table.Tr key={name}>
                  <Table.Td>{name}</Table.Td>
                  <Table.Td>
                    <Badge variant="light" color="gray" tt="none">
                      {type}
                    </Badge>
                  </Table.Td>
                  <Table.Td>{target}</Table.Td>
                  <Table.Td>{mandatory ? texts.common.yes : texts.common.no}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Paper>
      )}
    </Stack>
  );
}

import { Button, NumberInput, Paper, Stack, Table, Text } from "@mantine/core";
import type { LimitsData } from "@sallyport/client/admin";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { ChangesGuard } from "../page-parts/changes-guard.tsx";
import { LoadedPage, SaveButtons, SaveFailure } from "../page-parts/form-parts.tsx";
import { showSuccess } from "../notices/notices.tsx";

const queryKey = ["limits"];

export function LimitsPage() {
  const texts = useTexts();
  const connection = useConnection();
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => connection.administer((admin) => admin.limits.get({ signal })),
  });
  return (
    <LoadedPage title={texts.limits.title} help={texts.limits.help} height={320} query={query}>
      {(current) => <LimitsForm current={current} />}
    </LoadedPage>
  );
}

/** Texts as typed, by the names of limits. `null` returns to the configuration. */
type Edits = Readonly<Record<string, string | null>>;

function LimitsForm({ current }: { readonly current: LimitsData }) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const { mayChange } = usePerson();
  const [edits, setEdits] = useState<Edits>({});
  const changes = Object.fromEntries(
    Object.entries(edits).map(([name, text]) => [name, text === null ? null : Number(text)]),
  );
  const isChanged = Object.keys(edits).length > 0;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => connection.administer((admin) => admin.limits.change(changes, { ifMatch: current })),
    onSuccess: (changed) => {
      queries.setQueryData(queryKey, changed);
      setEdits({});
      showSuccess(texts.limits.saved);
    },
  });
  const edit = (name: string, value: string | null, now: string | null) => {
    const { [name]: _former, ...others } = edits;
    setEdits(value === now ? others : { ...others, [name]: value });
  };
  return (
    <Paper withBorder radius="md" bg="var(--console-surface)">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <Table.ScrollContainer minWidth={560} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label={texts.limits.title}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.limits.limit}</Table.Th>
                <Table.Th>{texts.limits.value}</Table.Th>
                <Table.Th>{texts.limits.configured}</Table.Th>
                <Table.Td />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {current.items.map(({ name, value, default: configured, overridden }) => {
                const label = texts.limits.names[name as keyof typeof texts.limits.names] ?? name;
                const edited = edits[name];
                const shown = edited === undefined ? String(value) : (edited ?? String(configured));
                return (
                  <Table.Tr key={name}>
                    <Table.Td>
                      <Text size="sm">{label}</Text>
                    </Table.Td>
                    <Table.Td>
                      {mayChange ? (
                        <NumberInput
                          aria-label={label}
                          value={shown}
                          onChange={(typed) => edit(name, String(typed), String(value))}
                          min={0}
                          allowDecimal={false}
                          allowNegative={false}
                          maw={160}
                          required
                        />
                      ) : (
                        value
                      )}
                    </Table.Td>
                    <Table.Td>{configured}</Table.Td>
                    <Table.Td>
                      {mayChange && overridden && edited !== null && (
                        <Button
                          size="xs"
                          variant="default"
                          aria-label={texts.limits.resetOf(label)}
                          onClick={() => edit(name, null, String(value))}
                        >
                          {texts.limits.reset}
                        </Button>
                      )}
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        {mayChange && (
          <Stack p="md">
            <SaveFailure error={error} onReload={() => void queries.invalidateQueries({ queryKey })} />
            <SaveButtons isPending={isPending} isChanged={isChanged} onDiscard={() => setEdits({})} />
          </Stack>
        )}
      </form>
      <ChangesGuard isChanged={isChanged} />
    </Paper>
  );
}

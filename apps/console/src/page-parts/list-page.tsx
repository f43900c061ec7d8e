import { ActionIcon, Button, Group, Paper, Skeleton, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconChevronLeft, IconChevronRight, IconRefresh, IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useTexts } from "../language/language.tsx";
import { visibleText } from "../language/visible-text.ts";
import { FailureDetails } from "../notices/notices.tsx";
import { SlowNotice } from "../notices/slow-notice.tsx";
import classes from "./list-page.module.css";

/** Rows of a page. */
const pageSize = 25;

export interface ListPageRequest {
  readonly after: string | undefined;
  readonly search: string | undefined;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface Column<Item> {
  readonly title: string;
  cell(item: Item): ReactNode;
}

interface ListPageProps<Item> {
  readonly title: string;
  readonly help: string;
  /** Of the query; what a change invalidates. */
  readonly queryKey: readonly string[];
  load(request: ListPageRequest): Promise<{ readonly items: readonly Item[]; readonly next: string | null }>;
  keyOf(item: Item): string;
  readonly columns: readonly Column<Item>[];
  /** Shown without items. */
  readonly empty: string;
  /** Label of the search, which the server does. */
  readonly searchLabel?: string;
  /** Further conditions, beside the search. */
  readonly conditions?: ReactNode;
  /** Buttons for the whole list. */
  readonly actions?: ReactNode;
  /** Actions for one item. */
  readonly rowActions?: ((item: Item) => ReactNode) | undefined;
}

/**
 * A list that the server cuts into pages. Search and page are parts of the address, so that Back and a copied address restore
 * them.
 */
export function ListPage<Item>({ title, help, actions, ...list }: ListPageProps<Item>) {
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h2">
            {title}
          </Title>
          <Text c="dimmed" size="sm" maw={640}>
            {help}
          </Text>
        </div>
        <Group>{actions}</Group>
      </Group>
      <List title={title} {...list} />
    </Stack>
  );
}

type ListProps<Item> = Omit<ListPageProps<Item>, "help" | "actions">;

export function List<Item>({ title, queryKey, load, searchLabel, conditions, ...rows }: ListProps<Item>) {
  const texts = useTexts();
  const navigate = useNavigate();
  const { search, after } = useSearch({ strict: false }) as { readonly search?: string; readonly after?: string };
  const [earlier, setEarlier] = useState<readonly (string | undefined)[]>([]);
  const go = (changed: { readonly search?: string | undefined; readonly after?: string | undefined }) =>
    void navigate({ to: ".", search: (current: object) => ({ ...current, ...changed }) as never });
  const seek = useDebouncedCallback((text: string) => {
    setEarlier([]);
    go({ search: text.trim() || undefined, after: undefined });
  }, 250);
  const { data, error, isPending, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: [...queryKey, "list", search ?? "", after ?? ""],
    queryFn: ({ signal }) => load({ search, after, limit: pageSize, signal }),
    placeholderData: keepPreviousData,
  });
  const forward = () => {
    setEarlier([...earlier, after]);
    go({ after: data?.next ?? undefined });
  };
  const back = () => {
    go({ after: earlier.at(-1) });
    setEarlier(earlier.slice(0, -1));
  };
  return (
    <Paper withBorder radius="md" className={classes["list"] ?? ""}>
      <Group p="sm" gap="sm">
        {searchLabel !== undefined && (
          <TextInput
            className={classes["search"] ?? ""}
            leftSection={<IconSearch size={16} />}
            placeholder={searchLabel}
            aria-label={searchLabel}
            defaultValue={search ?? ""}
            onChange={({ currentTarget }) => seek(currentTarget.value)}
          />
        )}
        {conditions}
        <ActionIcon
          ml="auto"
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={texts.lists.refresh}
          loading={isFetching && !isPending}
          onClick={() => void refetch()}
        >
          <IconRefresh size={18} />
        </ActionIcon>
      </Group>
      <SlowNotice isWaiting={isFetching} />
      {error !== null && (
        <Stack p="md" role="alert" align="flex-start">
          <FailureDetails error={error} />
          <Button variant="default" onClick={() => void refetch()}>
            {texts.common.retry}
          </Button>
        </Stack>
      )}
      {isPending && (
        <Stack p="sm" gap="xs" role="status" aria-label={texts.common.loading} aria-busy>
          {Array.from({ length: 6 }, (_, index) => (
            <Skeleton key={index} height={30} />
          ))}
        </Stack>
      )}
      {data !== undefined && (
        <Rows
          {...rows}
          title={title}
          items={data.items}
          isStale={isPlaceholderData}
          isSearched={search !== undefined}
        />
      )}
      {(earlier.length > 0 || after !== undefined || typeof data?.next === "string") && (
        <Group p="sm" justify="flex-end" className={classes["pages"] ?? ""}>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconChevronLeft size={14} />}
            disabled={after === undefined}
            onClick={back}
          >
            {earlier.length > 0 || after === undefined ? texts.common.previous : texts.lists.first}
          </Button>
          <Button
            variant="default"
            size="xs"
            rightSection={<IconChevronRight size={14} />}
            disabled={typeof data?.next !== "string" || isPlaceholderData}
            onClick={forward}
          >
            {texts.common.next}
          </Button>
        </Group>
      )}
    </Paper>
  );
}

const shown = (content: ReactNode): ReactNode => (typeof content === "string" ? visibleText(content) : content);

interface RowsProps<Item> extends Pick<ListPageProps<Item>, "title" | "keyOf" | "columns" | "empty" | "rowActions"> {
  readonly items: readonly Item[];
  /** Of the former page, until those of the next one are there. */
  readonly isStale: boolean;
  readonly isSearched: boolean;
}

function Rows<Item>({ title, items, isStale, isSearched, keyOf, columns, empty, rowActions }: RowsProps<Item>) {
  const texts = useTexts();
  if (items.length === 0)
    return (
      <Text p="xl" ta="center" c="dimmed">
        {isSearched ? texts.lists.nothingFound : empty}
      </Text>
    );
  return (
    <Table.ScrollContainer minWidth={620} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label={title} aria-busy={isStale} className={(isStale && classes["stale"]) || ""}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.title}>{column.title}</Table.Th>
            ))}
            {rowActions !== undefined && <Table.Td />}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((item) => (
            <Table.Tr key={keyOf(item)}>
              {columns.map((column) => (
                <Table.Td key={column.title}>{shown(column.cell(item))}</Table.Td>
              ))}
              {rowActions !== undefined && (
                <Table.Td className={classes["rowActions"] ?? ""}>{rowActions(item)}</Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

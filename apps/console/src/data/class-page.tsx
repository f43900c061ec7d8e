import { Button, Group, Paper, Skeleton, Stack, Text, TextInput, Title, Tooltip } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import type { ClassStructure } from "@sallyport/client";
import { IconFilter, IconPlus, IconRefresh, IconSearch } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { useClasses } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { FailureDetails, showFailure } from "../notices/notices.tsx";
import { SlowNotice } from "../notices/slow-notice.tsx";
import { useColumnChoice } from "./column-choice.ts";
import { ColumnPanel } from "./column-panel.tsx";
import { listColumnsOf, usualColumns } from "./columns.ts";
import { conditionsOf } from "./filter-tree.ts";
import { FilterPanel } from "./filter-panel.tsx";
import { filterOfText, listQuery, noFilter } from "./list-query.ts";
import { newObject, useListState } from "./list-state.ts";
import { ObjectGrid } from "./object-grid.tsx";
import { ButtonLink } from "../shell/links.tsx";
import { useObjectCount } from "./object-count.ts";
import { listKey, useObjectRows } from "./object-rows.ts";
import { titlePathOf } from "./object-title.ts";
import { type ShownCell, WholeValue } from "./whole-value.tsx";
import classes from "./class-page.module.css";

/** The objects of a class and its subclasses. */
export function ClassPage() {
  const texts = useTexts();
  const { className = "" } = useParams({ strict: false });
  const { data, error, isPending } = useClasses();
  const structure = data?.find(({ name }) => name === className);
  if (data !== undefined && structure !== undefined)
    return <ObjectList key={className} structure={structure} all={data} />;
  return (
    <Stack>
      <Title order={1} size="h2">
        {className}
      </Title>
      {isPending && <Skeleton height={220} aria-label={texts.common.loading} />}
      {error !== null && <FailureDetails error={error} />}
      {data !== undefined && <Text c="dimmed">{texts.classes.unknown(className)}</Text>}
    </Stack>
  );
}

interface ObjectListProps {
  readonly structure: ClassStructure;
  readonly all: readonly ClassStructure[];
}

function ObjectList({ structure, all }: ObjectListProps) {
  const texts = useTexts();
  const { name } = structure;
  const { state, sort, change } = useListState();
  const columns = useMemo(() => listColumnsOf(structure, all), [structure, all]);
  const usual = useMemo(() => usualColumns(structure, all), [structure, all]);
  const names = useMemo(() => columns.map((column) => column.name), [columns]);
  const { choice, choose, reset } = useColumnChoice(name, usual, names);
  const shown = useMemo(() => columns.filter((column) => choice.names.includes(column.name)), [columns, choice.names]);
  const filter = useMemo(() => filterOfText(state.filter), [state.filter]);
  const [isFiltering, setFiltering] = useState(false);
  const query = useMemo(
    () => listQuery({ structure, all, columns, search: state.search, filter: filter ?? noFilter, sort }),
    [structure, all, columns, filter, sort, state.search],
  );
  const list = useObjectRows({ className: name, query, columns: shown });
  const { loaded, first, error, isPending, isFetching, hasNextPage, isFetchingNextPage, fetchNextPage } = list;

  const count = useObjectCount({ className: name, query, isWanted: choice.isCounted, list });
  const [shownCell, setShownCell] = useState<ShownCell | null>(null);

  const onFirstRow = useCallback((row: number) => change({ row: row === 0 ? undefined : String(row) }), [change]);
  const loadMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, isFetchingNextPage]);
  const seek = useDebouncedCallback((text: string) => change({ search: text.trim() || undefined }), 300);
  const {
    mutate: refresh,
    data: changes,
    isPending: isRefreshing,
    reset: forgetRefresh,
  } = useMutation({
    mutationFn: () => list.refresh(Number(state.row ?? 0)),
    onError: (failure) => showFailure(texts.notices.loadFailed, failure),
  });
  const conditionCount = filter === null ? 0 : conditionsOf(filter).length;
  const queries = useQueryClient();
  const reload = () => {
    forgetRefresh();
    void queries.invalidateQueries({ queryKey: listKey(name) });
  };

  return (
    <div className={classes["page"]}>
      <Group justify="space-between">
        <Group gap="sm" align="baseline">
          <Title order={1} size="h2">
            {name}
          </Title>
          {count !== undefined && (
            <Text c="dimmed" size="sm" role="status">
              {texts.objects.count(count.count, count.capped)}
            </Text>
          )}
        </Group>
        {structure.permissions.includes("create") && (
          <ButtonLink
            to="/classes/$className/$objectId"
            params={{ className: name, objectId: newObject }}
            leftSection={<IconPlus size={16} />}
          >
            {texts.objects.create}
          </ButtonLink>
        )}
      </Group>
      <Paper withBorder radius="md" className={classes["list"] ?? ""}>
        <Group p="sm" gap="sm">
          <Tooltip label={texts.objects.searchHelp}>
            <TextInput
              className={classes["search"] ?? ""}
              leftSection={<IconSearch size={16} />}
              placeholder={texts.objects.search}
              aria-label={texts.objects.search}
              defaultValue={state.search ?? ""}
              onChange={({ currentTarget }) => seek(currentTarget.value)}
            />
          </Tooltip>
          <Group ml="auto" gap="sm">
            {changes !== undefined && (
              <Group gap="xs">
                <Text size="sm" role="status">
                  {texts.objects.changed(changes)}
                </Text>
                <Button variant="subtle" size="compact-sm" onClick={reload}>
                  {texts.objects.reload}
                </Button>
              </Group>
            )}
            <Button
              data-compact
              variant="default"
              leftSection={<IconRefresh size={16} />}
              loading={isRefreshing}
              disabled={loaded.length === 0}
              onClick={() => refresh()}
            >
              {texts.lists.refresh}
            </Button>
            <Button
              variant={conditionCount > 0 ? "light" : "default"}
              leftSection={<IconFilter size={16} />}
              aria-expanded={isFiltering}
              onClick={() => setFiltering(!isFiltering)}
            >
              {conditionCount > 0 ? texts.filter.titleWith(conditionCount) : texts.filter.title}
            </Button>
            <ColumnPanel columns={columns} choice={choice} choose={choose} onReset={reset} />
          </Group>
        </Group>
        {filter === null && (
          <Text p="sm" c="red" role="alert">
            {texts.filter.unreadable}
          </Text>
        )}
        {isFiltering && (
          <FilterPanel
            key={`${state.filter ?? ""} ${state.sort ?? ""}`}
            structure={structure}
            all={all}
            filter={filter ?? noFilter}
            sort={sort}
            onApply={(applied, order) => change({ filter: applied, sort: order.join(",") || undefined })}
          />
        )}
        <SlowNotice isWaiting={isFetching} />
        {error !== null && (
          <Stack p="md" role="alert" align="flex-start">
            <FailureDetails error={error} />
            <Button variant="default" onClick={reload}>
              {texts.common.retry}
            </Button>
          </Stack>
        )}
        {isPending && error === null && <Skeleton m="sm" height={320} aria-label={texts.common.loading} />}
        {first !== undefined && loaded.length === 0 && (
          <Text p="xl" ta="center" c="dimmed">
            {query.where === undefined ? texts.objects.none : texts.lists.nothingFound}
          </Text>
        )}
        {loaded.length > 0 && (
          <ObjectGrid
            label={name}
            listId={JSON.stringify(query)}
            isStale={list.isPlaceholderData}
            rows={loaded}
            refreshed={list.refreshed}
            columns={columns}
            choice={choice}
            choose={choose}
            sort={sort}
            onSort={(keys) => change({ sort: keys.join(",") || undefined })}
            hasMore={hasNextPage}
            loadMore={loadMore}
            firstRow={Number(state.row ?? 0)}
            onFirstRow={onFirstRow}
            readWhole={list.readWhole}
            onShow={setShownCell}
          />
        )}
      </Paper>
      <WholeValue
        cell={shownCell}
        titlePath={titlePathOf(structure, all)}
        readWhole={list.readWhole}
        onClose={() => setShownCell(null)}
      />
    </div>
  );
}

import { Button, Group, Paper, Skeleton, Stack, Text, TextInput, Title, Tooltip } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import type { ClassStructure } from "@sallyport/client";
import type { ViewData } from "@sallyport/contract";
import { IconFilter, IconPlus, IconRecycle, IconRefresh, IconSearch } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Navigate, useParams } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { useClasses } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { FailureDetails, showFailure } from "../notices/notices.tsx";
import { SlowNotice } from "../notices/slow-notice.tsx";
import { useColumnChoice } from "./grid/column-choice.ts";
import { ColumnPanel } from "./grid/column-panel.tsx";
import { listColumnsOf, usualColumns } from "./columns.ts";
import { conditionsOf, filterOf } from "./filter/filter-tree.ts";
import { FilterPanel } from "./filter/filter-panel.tsx";
import { filterOfText, listQuery, noFilter } from "./list-query.ts";
import { newObject, useListState } from "./list-state.ts";
import { ObjectGrid } from "./grid/object-grid.tsx";
import { PasteDialog } from "./grid/paste-dialog.tsx";
import type { PastedBlock } from "./grid/pasted-block.ts";
import { ButtonLink } from "../shell/links.tsx";
import { useObjectCount } from "./object-count.ts";
import { listKey, useObjectRows } from "./object-rows.ts";
import { titlePathOf } from "./object-title.ts";
import { type ListContent, ViewMenu } from "./view-menu.tsx";
import { openedView, useViews } from "./views.ts";
import { type ShownCell, WholeValue } from "./grid/whole-value.tsx";
import classes from "./class-page.module.css";

/** The objects of a class and its subclasses. */
export function ClassPage() {
  const texts = useTexts();
  const { className = "" } = useParams({ strict: false });
  const { data, error, isPending } = useClasses();
  const structure = data?.find(({ name }) => name === className);
  const { state } = useListState();
  const views = useViews(className);
  if (data !== undefined && structure !== undefined && (!views.isPending || (state.open ?? state.view) === undefined)) {
    const viewOf = (id: string | undefined) => views.data?.find((each) => each.id === id);
    const opened = viewOf(state.open);
    if (opened !== undefined) {
      const search = openedView(opened, structure, data).state as never;
      return <Navigate to="/classes/$className" params={{ className }} search={search} replace />;
    }
    const view = viewOf(state.view);
    const key = `${className} ${view?.id ?? ""}`;
    return <ObjectList key={key} structure={structure} all={data} view={view} isMissing={state.open !== undefined} />;
  }
  return (
    <Stack>
      <Title order={1} size="h2">
        {className}
      </Title>
      {isPending && <Skeleton height={220} role="status" aria-label={texts.common.loading} />}
      {error !== null && <FailureDetails error={error} />}
      {data !== undefined && <Text c="dimmed">{texts.classes.unknown(className)}</Text>}
    </Stack>
  );
}

interface ObjectListProps {
  readonly structure: ClassStructure;
  readonly all: readonly ClassStructure[];
  /** The saved view that is open. */
  readonly view: ViewData | undefined;
  /** Whether the address names a view that the person cannot see. */
  readonly isMissing: boolean;
}

function ObjectList({ structure, all, view, isMissing }: ObjectListProps) {
  const texts = useTexts();
  const { name } = structure;
  const { state, sort, change } = useListState();
  const columns = useMemo(() => listColumnsOf(structure, all), [structure, all]);
  const opened = useMemo(
    () => (view === undefined ? undefined : openedView(view, structure, all)),
    [view, structure, all],
  );
  const usual = useMemo(() => opened?.columns ?? usualColumns(structure, all), [opened, structure, all]);
  const names = useMemo(() => columns.map((column) => column.name), [columns]);
  const { choice, choose, reset } = useColumnChoice({ className: name, viewId: view?.id, usual, all: names });
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
  const [pasted, setPasted] = useState<PastedBlock | null>(null);
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
  const content: ListContent = {
    columns: [...choice.names],
    where: filter === null || filter.members.length === 0 ? undefined : filterOf(filter),
    sort: [...sort],
    search: state.search,
  };
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
        <Group gap="sm">
          {structure.permissions.includes("delete") && (
            <ButtonLink to="/recycle-bin" variant="default" leftSection={<IconRecycle size={16} />}>
              {texts.recycleBin.title}
            </ButtonLink>
          )}
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
            <ViewMenu className={name} view={view} content={content} />
            <ColumnPanel columns={columns} choice={choice} choose={choose} onReset={reset} />
          </Group>
        </Group>
        {isMissing && (
          <Text p="sm" c="red" role="alert">
            {texts.views.unknown}
          </Text>
        )}
        {opened !== undefined && opened.missing.length > 0 && (
          <Text p="sm" c="dimmed" role="status">
            {texts.views.leavesOut(opened.missing.join(", "))}
          </Text>
        )}
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
        {isPending && error === null && (
          <Skeleton m="sm" height={320} role="status" aria-label={texts.common.loading} />
        )}
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
            onPaste={structure.permissions.includes("write") ? setPasted : undefined}
          />
        )}
      </Paper>
      <WholeValue
        cell={shownCell}
        titlePath={titlePathOf(structure, all)}
        readWhole={list.readWhole}
        onClose={() => setShownCell(null)}
      />
      <PasteDialog
        block={pasted}
        structure={structure}
        all={all}
        write={list.write}
        onWritten={list.take}
        onClose={() => setPasted(null)}
      />
    </div>
  );
}

import { Skeleton, Stack, Text } from "@mantine/core";
import type { ClassStructure, Filter } from "@sallyport/client";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { FailureDetails } from "../notices/notices.tsx";
import { SlowNotice } from "../notices/slow-notice.tsx";
import { TextLink } from "../shell/links.tsx";
import { targetOf } from "./attribute-path.ts";
import type { ObjectRow } from "./cell-text.ts";
import { listKey } from "./object-rows.ts";
import { titleOf, titlePathOf } from "./object-title.ts";
import classes from "./class-page.module.css";

/** Objects that show of each attribute. */
const shown = 5;
/** Requests at a time. */
const parallel = 4;

/** An attribute that can lead to the object. */
export interface Referrer {
  readonly className: string;
  readonly attribute: string;
  /** Finds the objects of the class whose attribute leads to the object. */
  readonly where: Filter;
}

/** The attributes of all classes that can lead to an object of a class. Each is that of the highest class that has it. */
export function referrersOf(
  objectId: string,
  structure: ClassStructure,
  all: readonly ClassStructure[],
): readonly Referrer[] {
  const lineage = new Set<string>();
  for (let each: ClassStructure | undefined = structure; each !== undefined; ) {
    lineage.add(each.name);
    const { base }: ClassStructure = each;
    each = all.find(({ name }) => name === base);
  }
  return all.flatMap((referring) => {
    const base = all.find(({ name }) => name === referring.base);
    const inherited = new Set(base?.attributes.map(({ name }) => name));
    return referring.attributes.flatMap(({ name, type }): Referrer[] => {
      const target = targetOf(referring, name, all)?.name;
      if (target === undefined || !lineage.has(target) || inherited.has(name)) return [];
      const where = { [name]: type === "collection" ? { $contains: objectId } : objectId };
      return [{ className: referring.name, attribute: name, where }];
    });
  });
}

interface ReferencedFromProps {
  readonly objectId: string;
  /** The class of the object. */
  readonly structure: ClassStructure;
  readonly all: readonly ClassStructure[];
}

/** The objects that lead to an object, attribute by attribute. */
export function ReferencedFrom({ objectId, structure, all }: ReferencedFromProps) {
  const texts = useTexts();
  const referrers = useMemo(() => referrersOf(objectId, structure, all), [objectId, structure, all]);
  /** Whether an attribute shows something, of those that have their answer. */
  const [answers, setAnswers] = useState<ReadonlyMap<Referrer, boolean>>(new Map());
  const onAnswer = useCallback(
    (referrer: Referrer, isShown: boolean) => setAnswers((current) => new Map(current).set(referrer, isShown)),
    [],
  );
  const isWaiting = answers.size < referrers.length;
  return (
    <Stack gap="sm">
      {referrers.map((referrer, index) => (
        <ReferringObjects
          key={`${referrer.className} ${referrer.attribute}`}
          referrer={referrer}
          all={all}
          isTurn={index < answers.size + parallel}
          onAnswer={onAnswer}
        />
      ))}
      {isWaiting && <Skeleton height={24} role="status" aria-label={texts.common.loading} />}
      <SlowNotice isWaiting={isWaiting} />
      {!isWaiting && ![...answers.values()].includes(true) && (
        <Text size="sm" c="dimmed">
          {texts.objects.referencedNowhere}
        </Text>
      )}
    </Stack>
  );
}

interface ReferringObjectsProps {
  readonly referrer: Referrer;
  readonly all: readonly ClassStructure[];
  /** Whether the request can be sent. */
  readonly isTurn: boolean;
  onAnswer(referrer: Referrer, isShown: boolean): void;
}

function ReferringObjects({ referrer, all, isTurn, onAnswer }: ReferringObjectsProps) {
  const texts = useTexts();
  const connection = useConnection();
  const { className, attribute, where } = referrer;
  const title = titlePathOf(
    all.find(({ name }) => name === className),
    all,
  );
  const { data, error } = useQuery({
    queryKey: [...listKey(className), "referring", where, title],
    queryFn: ({ signal }) =>
      connection.work((client) =>
        client.listObjects<ObjectRow>(className, {
          query: { where },
          perPage: shown,
          count: "none",
          serialization: { type: "custom", fields: title === null ? [] : [title] },
          signal,
        }),
      ),
    enabled: isTurn,
  });
  const isShown = error !== null || (data !== undefined && data["~Elements"].length > 0);
  const isAnswered = error !== null || data !== undefined;
  useEffect(() => {
    if (isAnswered) onAnswer(referrer, isShown);
  }, [isAnswered, isShown, onAnswer, referrer]);
  if (!isShown) return null;
  const name = `${className}.${attribute}`;
  return (
    <div role="group" aria-label={name}>
      <Text size="sm" fw={600}>
        {name}
      </Text>
      {error !== null && (
        <div role="alert">
          <FailureDetails error={error} />
        </div>
      )}
      <ul className={classes["referring"]}>
        {data?.["~Elements"].map((row) => (
          <li key={row["~ObjectID"]}>
            <TextLink
              to="/classes/$className/$objectId"
              params={{ className: row["~ClassName"], objectId: row["~ObjectID"] }}
              size="sm"
            >
              {titleOf(row, title)}
            </TextLink>
          </li>
        ))}
      </ul>
      {data !== undefined && data["~Elements"].length === shown && (
        <TextLink
          to="/classes/$className"
          params={{ className }}
          search={{ filter: JSON.stringify(where) } as never}
          size="sm"
        >
          {texts.objects.moreReferring(name)}
        </TextLink>
      )}
    </div>
  );
}

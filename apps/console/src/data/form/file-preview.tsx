import { Alert, Skeleton, Stack, Text } from "@mantine/core";
import type { SallyportClient } from "@sallyport/client";
import { download } from "@sallyport/client/files";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useConnection } from "../../connection/connection-context.tsx";
import { useByteText } from "../../language/byte-text.ts";
import { useTexts } from "../../language/language.tsx";
import { visibleText } from "../../language/visible-text.ts";
import { FailureDetails } from "../../notices/notices.tsx";
import { PdfPages } from "./pdf-pages.tsx";
import classes from "./object-form.module.css";

/** Bytes of an image or a PDF, at most. */
const maxBytes = 20_000_000;
/** Bytes of a text. The rest is left out. */
const textBytes = 65_536;

const images = /^image\/(?:avif|bmp|gif|jpeg|png|svg\+xml|vnd\.microsoft\.icon|webp|x-icon)$/;
const textTypes =
  /^(?:text\/.+|(?:application|message)\/(?:json|xml|yaml|toml|sql|javascript|rfc822|.+\+(?:json|xml|yaml)))$/;

const svgType = "image/svg+xml";
/** What makes much of a small SVG: a few nested repetitions are millions of shapes, and the browser draws them in the page. */
const repeatingSvg =
  /[<:](?:use|pattern|filter|mask|marker|image|feImage)\b|<!(?:DOCTYPE|ENTITY)|encoding\s*=\s*["'](?!utf-8)/i;

type Preview =
  | { readonly kind: "image" | "pdf"; readonly bytes: Uint8Array<ArrayBuffer>; readonly mediaType: string }
  | { readonly kind: "text"; readonly bytes: Uint8Array<ArrayBuffer>; readonly size: number }
  | { readonly kind: "other" | "large" };

type Kind = "image" | "pdf" | "text" | "other";

function kindOf(mediaType: string): Kind {
  if (images.test(mediaType)) return "image";
  if (mediaType === "application/pdf") return "pdf";
  return textTypes.test(mediaType) ? "text" : "other";
}

/** The bytes that a preview needs, and no others. */
async function readPreview(client: SallyportClient, id: string, signal: AbortSignal): Promise<Preview> {
  const {
    stream,
    size,
    mediaType: stated,
  } = await download(client, id, { range: { first: 0, last: maxBytes - 1 }, signal });
  const mediaType = (stated ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const kind = kindOf(mediaType);
  if (kind === "other" || (kind !== "text" && size > maxBytes)) {
    await stream.cancel();
    return { kind: kind === "other" ? kind : "large" };
  }
  const bytes = new Uint8Array(Math.min(size, kind === "text" ? textBytes : maxBytes));
  let filled = 0;
  const reader = stream.getReader();
  while (filled < bytes.length) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes.set(value.subarray(0, bytes.length - filled), filled);
    filled += Math.min(value.length, bytes.length - filled);
  }
  await reader.cancel();
  if (kind === "text") return { kind, bytes, size };
  const isText = mediaType === svgType && repeatingSvg.test(textOf(bytes, false) ?? "<!DOCTYPE");
  return isText ? { kind: "text", bytes: bytes.slice(0, textBytes), size } : { kind, bytes, mediaType };
}

/** What a file looks like: an image, the pages of a PDF, or the beginning of a text. Nothing of it becomes a document. */
export function FilePreview({ id }: { readonly id: string }) {
  const texts = useTexts();
  const connection = useConnection();
  const byteText = useByteText();
  const { data, error } = useQuery({
    queryKey: ["objects", "File", "preview", id],
    queryFn: ({ signal }) => connection.work((client) => readPreview(client, id, signal)),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (error !== null) return <FailureDetails error={error} />;
  switch (data?.kind) {
    case undefined:
      return <Skeleton height={320} role="status" aria-label={texts.common.loading} />;
    case "image":
      return <ImagePreview bytes={data.bytes} mediaType={data.mediaType} />;
    case "pdf":
      return <PdfPages bytes={data.bytes} />;
    case "text":
      return <TextPreview bytes={data.bytes} size={data.size} />;
    case "large":
      return <Text>{texts.objects.previewLarge(byteText(maxBytes))}</Text>;
    default:
      return <Text>{texts.objects.previewNone}</Text>;
  }
}

function Broken({ children }: { readonly children: string }) {
  return (
    <Alert color="red" role="alert">
      {children}
    </Alert>
  );
}

/** The address of an image ends when it is loaded: no tab can open it, where an SVG would be a document. */
function ImagePreview({ bytes, mediaType }: { readonly bytes: Uint8Array<ArrayBuffer>; readonly mediaType: string }) {
  const texts = useTexts();
  const image = useRef<HTMLImageElement>(null);
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    const address = URL.createObjectURL(new Blob([bytes], { type: mediaType }));
    if (image.current !== null) image.current.src = address;
    return () => URL.revokeObjectURL(address);
  }, [bytes, mediaType]);
  const revoke = () => URL.revokeObjectURL(image.current?.src ?? "");
  if (isBroken) return <Broken>{texts.objects.previewBroken.image}</Broken>;
  return (
    <img
      ref={image}
      className={classes["image"]}
      alt={texts.objects.previewImage}
      onLoad={revoke}
      onError={() => {
        revoke();
        setBroken(true);
      }}
    />
  );
}

function TextPreview({ bytes, size }: { readonly bytes: Uint8Array<ArrayBuffer>; readonly size: number }) {
  const texts = useTexts();
  const byteText = useByteText();
  const isCut = size > bytes.length;
  const text = textOf(bytes, isCut);
  if (text === null) return <Broken>{texts.objects.previewBroken.text}</Broken>;
  return (
    <Stack gap="xs">
      {isCut && (
        <Text size="sm" c="dimmed">
          {texts.objects.previewCut(byteText(bytes.length), byteText(size))}
        </Text>
      )}
      <pre className={classes["text"]} tabIndex={0} aria-label={texts.objects.previewText}>
        {visibleText(text.replaceAll("\r\n", "\n"))}
      </pre>
    </Stack>
  );
}

/** The text of bytes in UTF-8, or in UTF-16 with its mark. `null` for others. The last character of a cut text can be half there. */
function textOf(bytes: Uint8Array, isCut: boolean): string | null {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    return new TextDecoder(isUtf16 ? "utf-16le" : "utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return null;
  }
}

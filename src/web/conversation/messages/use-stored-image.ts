/** An image of the session, fetched on demand. */
import { useEffect, useState } from "react";
import type { Attachment } from "../../../protocol/index.ts";
import { useStore } from "../../store/use-store.ts";

/** Fetched images by hash, so that a row scrolled out and back shows the same one. Oldest evicted first. */
const CACHE_MAX = 60;

const cache = new Map<string, string>();

/** Its URL; absent while loading or when none is wanted, `failed` when it cannot be loaded. */
export function useStoredImage(wanted: Attachment | undefined): { readonly url?: string; readonly failed: boolean } {
  const store = useStore();
  const { mime = "", blob } = wanted ?? {};
  const sha256 = blob?.sha256 ?? "";
  const [url, setUrl] = useState(() => cachedImage(sha256));
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (url !== undefined || sha256 === "") return undefined;
    let isWanted = true;
    store.readBlob(sha256).then(
      (bytes) => {
        const made = cacheImage(sha256, new Blob([bytes], { type: mime }));
        if (isWanted) setUrl(made);
      },
      () => {
        if (isWanted) setFailed(true);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [store, sha256, mime, url]);
  return url === undefined ? { failed } : { url, failed };
}

function cachedImage(sha256: string): string | undefined {
  return cache.get(sha256);
}

function cacheImage(sha256: string, image: Blob): string {
  const known = cache.get(sha256);
  if (known !== undefined) return known;
  const url = URL.createObjectURL(image);
  cache.set(sha256, url);
  const [oldest] = cache;
  if (cache.size > CACHE_MAX && oldest !== undefined) {
    cache.delete(oldest[0]);
    URL.revokeObjectURL(oldest[1]);
  }
  return url;
}

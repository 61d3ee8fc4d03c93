/** Diffs of files. What draws them is loaded with the first one, which is shown as text until then. */
import { type ComponentType, lazy, Suspense } from "react";
import { inPlainSight } from "../format/plain-sight.ts";
import type { DiffProps } from "./diff.tsx";
import { splitPatch } from "./parse-patch.ts";

const Diff = lazy(async (): Promise<{ default: ComponentType<DiffProps> }> => {
  try {
    return { default: (await import("./diff.tsx")).Diff };
  } catch {
    return { default: PlainPatch };
  }
});

/** The diff of one file. */
export function FileDiff(props: DiffProps) {
  return (
    <Suspense fallback={<PlainPatch {...props} />}>
      <Diff {...props} />
    </Suspense>
  );
}

interface PatchProps {
  readonly patch: string;
  /** The file, when the diff does not say. */
  readonly path?: string;
}

/** Of one or more files. */
export function Patch({ patch, path = "" }: PatchProps) {
  const files = splitPatch(patch);
  return files.map((file, at) => (
    <div className="patch" key={at}>
      {files.length < 2 ? null : <p className="path">{inPlainSight(file.path)}</p>}
      <FileDiff patch={file.patch} path={file.path || path} />
    </div>
  ));
}

function PlainPatch({ patch }: DiffProps) {
  return (
    <pre className="code-rows" tabIndex={0}>
      {inPlainSight(patch)}
    </pre>
  );
}

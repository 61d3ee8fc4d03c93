/** A view whose script is loaded when it is first opened. */
import { type ComponentType, lazy, Suspense } from "react";

export function lazyView<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const View = lazy(async () => ({
    default: await load().catch((): ComponentType<Props> => LoadFailed),
  })) as unknown as ComponentType<Props>;
  return function LazyView(props: Props) {
    return (
      <Suspense fallback={null}>
        <View {...props} />
      </Suspense>
    );
  };
}

function LoadFailed() {
  return (
    <p className="problem" role="alert">
      This part of the page could not be loaded. Reload the page.
    </p>
  );
}

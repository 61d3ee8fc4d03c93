/** Keeps a fault in one part of the page from taking the whole page with it. */
import { Component, type ReactNode } from "react";
import { Button } from "./button.tsx";

interface FaultBoundaryProps {
  readonly children: ReactNode;
}

interface FaultBoundaryState {
  readonly fault: string | undefined;
}

export class FaultBoundary extends Component<FaultBoundaryProps, FaultBoundaryState> {
  override state: FaultBoundaryState = { fault: undefined };

  static getDerivedStateFromError(error: unknown): FaultBoundaryState {
    return { fault: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { fault } = this.state;
    if (fault === undefined) return this.props.children;
    return (
      <div className="problem fault" role="alert">
        <p>Something went wrong in this part of the page: {fault}</p>
        <Button onClick={() => this.setState({ fault: undefined })}>Try again</Button>
      </div>
    );
  }
}

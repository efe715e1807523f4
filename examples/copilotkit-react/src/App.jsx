import { useCoAgent, useCopilotAction, useCopilotReadable } from "@copilotkit/react-core";
import { useInterrupt } from "@copilotkit/react-core/v2";
import { CopilotChat } from "@copilotkit/react-ui";
import { useState } from "react";

import { Approvals } from "./Approval.jsx";
import { Citations } from "./Citations.jsx";

const COLOURS = ["white", "lavender", "honeydew", "mistyrose"];

/** A page whose copilot answers from the knowledge, and which can do one thing when it is asked to. */
export function App() {
  const [colour, setColour] = useState(COLOURS[0]);
  const { state } = useCoAgent({ name: "default", initialState: {} });

  useCopilotReadable({ description: "The colour of the page", value: colour });
  useCopilotAction({
    name: "setPageColour",
    description: "Give the page another colour.",
    parameters: [{ name: "colour", type: "string", description: "The colour", enum: COLOURS }],
    handler: ({ colour: wanted }) => {
      setColour(wanted);
      return `The page is ${wanted} now.`;
    },
  });

  useInterrupt({ agentId: "default", render: (waiting) => <Approvals {...waiting} /> });

  return (
    <main style={{ background: colour }} data-colour={colour}>
      <section>
        <h1>Ask, and see where it is written</h1>
        <p>
          Try “Who owns the Harbor Queue?”, or “Make the page lavender.” if the server has a model.
        </p>
        <Citations state={state ?? {}} />
      </section>
      <CopilotChat labels={{ title: "Copilot", initial: "What would you like to know?" }} />
    </main>
  );
}

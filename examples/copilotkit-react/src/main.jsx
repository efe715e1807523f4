import { CopilotKit } from "@copilotkit/react-core";
import "@copilotkit/react-ui/styles.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { App } from "./App.jsx";
import "./page.css";

createRoot(document.getElementById("root")).render(
  <StrictMode>
    <CopilotKit runtimeUrl="/copilotkit" agent="default" enableInspector={false}>
      <App />
    </CopilotKit>
  </StrictMode>,
);

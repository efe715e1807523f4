import { useState } from "react";

/** All that waits for a person. The run goes on once each of them has an answer. */
export function Approvals({ interrupts, resolve }) {
  return interrupts.map((one) => (
    <Approval key={one.id} interrupt={one} answer={(said) => resolve(said, one.id)} />
  ));
}

/** One question: whether an action of the server may be carried out, or what an agent asks. */
function Approval({ interrupt, answer }) {
  const [isAnswered, setAnswered] = useState(false);
  const asked = interrupt.metadata?.value;
  const say = (said) => {
    setAnswered(true);
    answer(said);
  };
  return (
    <div className="approval">
      {asked?.type === "approval" ? (
        <Call {...asked} />
      ) : (
        <p>{interrupt.message ?? JSON.stringify(asked)}</p>
      )}
      <button disabled={isAnswered} onClick={() => say("yes")}>
        Do it
      </button>
      <button disabled={isAnswered} onClick={() => say("no")}>
        Leave it
      </button>
    </div>
  );
}

function Call({ action, arguments: given }) {
  return (
    <>
      <p>
        Shall I carry out <strong>{action}</strong>?
      </p>
      <pre>{JSON.stringify(given, null, 2)}</pre>
    </>
  );
}

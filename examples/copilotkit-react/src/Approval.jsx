/** What waits for a person: an action of the server with its arguments, or a question of an agent. */
export function Approval({ question, answer }) {
  return (
    <div className="approval">
      <p>{typeof question === "string" ? question : JSON.stringify(question)}</p>
      <button onClick={() => answer("yes")}>Do it</button>
      <button onClick={() => answer("no")}>Leave it</button>
    </div>
  );
}

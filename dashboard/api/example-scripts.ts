/** The scripts of calls that the project ships in examples/; none where the dashboard is built without that folder. */
import { type PlayedCall, readScript } from './call-script.ts'

const files = import.meta.glob<string>('../../examples/*.json', { query: '?raw', import: 'default' })

/** `new-patient-call` */
export const exampleNames: readonly string[] = Object.keys(files)
  .map((path) => path.replace(/^.*\/|\.json$/g, ''))
  .sort()

export async function exampleScript(name: string): Promise<PlayedCall> {
  const load = files[`../../examples/${name}.json`]
  if (load === undefined) throw new Error(`There is no script ${name}`)
  return readScript(await load())
}

/** TRIAL */
import { appendFileSync } from 'node:fs'
import NodeEnvironment from 'jest-environment-node'

const count = () => {
  const counts: Record<string, number> = {}
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
export default class extends NodeEnvironment {
  #path: string
  #cpu = process.cpuUsage()
  #start = Date.now()
  #before = count()
  constructor(...args: ConstructorParameters<typeof NodeEnvironment>) {
    super(...args)
    this.#path = `${args[0].projectConfig.displayName?.name} ${args[1].testPath.replace(/.*\/test\//, '')}`
  }
  override async teardown() {
    const { user, system } = process.cpuUsage(this.#cpu)
    const left = count()
    appendFileSync(
      '/tmp/h-testinfra-env.log',
      JSON.stringify([this.#path, Math.round((user + system) / 1000), Date.now() - this.#start, this.#before, left]) +
        '\n',
    )
    await super.teardown()
  }
}

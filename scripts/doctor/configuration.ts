/** Checks the configuration beyond what stops a start: secrets, the demo, proxies. */
import { type Config, isLoopback } from '../../src/config.ts'
import { about, type Finding, unless } from './finding.ts'

type Environment = Readonly<Record<string, string | undefined>>

const [demo, secrets, network] = [about('demo'), about('secrets'), about('network')]

export const configurationFindings = (config: Config, environment: Environment): readonly Finding[] => [
  demoFinding(config),
  ...unless(secretFindings(config, environment), secrets.ok('all are set, and none stands for another')),
  ...unless(networkFindings(config), network.ok('proxies and origins are set')),
]

function demoFinding({ demo: isOn }: Config): Finding {
  if (!isOn) return demo.ok('it is off')
  return demo.note('it is on, with published passwords and secrets; in production set NODE_ENV=production')
}

function secretFindings(config: Config, environment: Environment): readonly Finding[] {
  const found: Finding[] = []
  if (config.secretsKeys.length === 0) {
    const said =
      'SECRETS_KEY is not set: the secrets of clinics are stored in clear; set it, and start the server again'
    found.push(config.demo ? secrets.note(said) : secrets.toDo(said))
  }
  const set = SECRETS.filter((name) => environment[name])
  const same = set.filter((name) => set.some((other) => other !== name && environment[other] === environment[name]))
  if (same.length > 0) found.push(secrets.toDo(`${same.join(' and ')} have one value; give each its own`))
  const previous = set.filter((name) => name.endsWith('_PREVIOUS'))
  if (previous.length > 0)
    found.push(secrets.note(`${previous.join(' and ')} are set; remove them once all use the new ones`))
  if (config.firstOperator !== undefined)
    found.push(secrets.note('OPERATOR_PASSWORD is set; take it out once the first operator is made'))
  return found
}

const SECRETS = ['JWT_SECRET', 'WEBHOOK_SECRET', 'WEBHOOK_SECRET_PREVIOUS', 'SECRETS_KEY', 'SECRETS_KEY_PREVIOUS']

function networkFindings({ demo: isDemo, ...config }: Config): readonly Finding[] {
  const found: Finding[] = []
  if (config.trustedProxies.some((subnet) => subnet.endsWith('/0')))
    found.push(network.toDo('TRUST_PROXY trusts every address, so clients choose theirs; name the proxies'))
  if (config.metrics !== undefined && !isLoopback(config.metrics.host))
    found.push(network.note('METRICS_HOST is no address of this machine alone: only Prometheus may reach METRICS_PORT'))
  if (isDemo) return found
  if (config.baseUrl === undefined && config.trustedProxies.length === 0) {
    const said = 'links would name this machine, and all clients would have the address of the proxy'
    found.push(network.toDo(`neither BASE_URL nor TRUST_PROXY is set: ${said}; set TRUST_PROXY`))
  }
  if (config.baseUrl?.startsWith('http:') === true)
    found.push(network.toDo('BASE_URL begins with http:, which sends tokens in clear; use https, by a proxy'))
  if (config.corsOrigins.includes('*'))
    found.push(network.note('CORS_ORIGINS is *: pages of any origin use the server'))
  if (config.allowPrivateAddresses)
    found.push(network.note('ALLOW_PRIVATE_ADDRESSES is on: addresses in settings of clinics reach this network'))
  return found
}

/** The files of deploy/: what they start is configured right, kept from the network, and without secrets of its own. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parseAllDocuments } from 'yaml'
import { readConfig } from '../../src/config.ts'
import { PROJECT } from './containerfile.ts'

const textOf = (file: string): string => readFileSync(join(PROJECT, 'deploy', file), 'utf8')
// biome-ignore lint/suspicious/noExplicitAny: shapes of other tools' files
const yamlOf = (file: string): readonly any[] =>
  parseAllDocuments(textOf(file), { merge: true }).map((one) => one.toJS())

/** Assignments of a text, one on a line. */
const assignments = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]))

/** Values for each name that deploy/example.env asks for. */
const GIVEN: Record<string, string> = {
  BASE_URL: 'https://emr.example',
  JWT_SECRET: 'j'.repeat(44),
  WEBHOOK_SECRET: 'w'.repeat(44),
  SECRETS_KEY: 's'.repeat(44),
}
const given = (value: string): string => value.replace(/\$\{(\w+):\?[^}]+\}/g, (_, name) => GIVEN[name] ?? `no ${name}`)

/** The environment that the Containerfile sets. */
const OF_IMAGE = Object.fromEntries(
  [
    ...(/^ENV (.*)$/m.exec(readFileSync(join(PROJECT, 'Containerfile'), 'utf8'))?.[1] ?? '').matchAll(/(\S+?)=(\S+)/g),
  ].map(([, name = '', value = '']) => [name, value]),
)

test('deploy/example.env has a line for each value that the other files ask for, and no value', () => {
  const named = assignments(textOf('example.env'))
  const asked = ['compose.sqlite.yaml', 'compose.mongodb.yaml'].flatMap((file) =>
    [...textOf(file).matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name),
  )
  expect(Object.keys(named).toSorted()).toEqual([...new Set(asked)].toSorted())
  expect(Object.values(named).join('')).toBe('')
})

describe.each(['compose.sqlite.yaml', 'compose.mongodb.yaml'])('%s', (file) => {
  const [{ services, volumes = {} }] = yamlOf(file)
  const servers = Object.entries<Record<string, never>>(services).filter(([name]) => name.startsWith('emr'))

  test.each(servers)('starts %s in production, without rights that it does not need', (_name, server) => {
    const environment = Object.fromEntries(
      Object.entries<string>(server.environment ?? {}).map(([name, value]) => [name, given(value)]),
    )
    const { demo, baseUrl, databaseUrl } = readConfig({ ...OF_IMAGE, ...environment })
    expect([demo, baseUrl]).toEqual([false, 'https://emr.example'])
    expect(databaseUrl.startsWith('mongodb:')).toBe(file.includes('mongodb'))
    expect(server).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
  })

  test('publishes no port but to this machine', () => {
    const ports = Object.values<{ ports?: string[] }>(services).flatMap((service) => service.ports ?? [])
    expect(ports).toEqual(['127.0.0.1:3000:3000'])
  })

  test('keeps what is stored in volumes that it names', () => {
    const mounted = Object.values<{ volumes?: string[] }>(services).flatMap((service) => service.volumes ?? [])
    const named = mounted.map((mount) => mount.split(':')[0] ?? '').filter((name) => !name.startsWith('.'))
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(volumes).toSorted())
  })
})

test('the proxy serves both servers, and asks each whether it is ready', () => {
  const [{ services }] = yamlOf('compose.mongodb.yaml')
  const [, upstreams = ''] = /reverse_proxy (.*) \{/.exec(textOf('Caddyfile')) ?? []
  const servers = Object.keys(services).filter((name) => name.startsWith('emr'))
  expect(upstreams.split(' ')).toEqual(servers.map((name) => `${name}:3000`))
  expect(textOf('Caddyfile')).toContain('health_uri /health/ready')
})

test('the members of the replica set are those that the servers connect to', () => {
  const [{ services }] = yamlOf('compose.mongodb.yaml')
  const hosts = new URL(services['emr-1'].environment.DATABASE_URL.replace('mongodb:', 'http:').replaceAll(',', '.'))
  const members = Object.keys(services).filter((name) => name.startsWith('mongo-'))
  expect(hosts.hostname).toBe(members.join('.'))
  expect(services['replica-set'].command.at(-1)).toContain(`[${members.map((name) => name.slice(6)).join(', ')}]`)
})

test('the systemd unit starts what the image starts, in production', () => {
  const unit = textOf('sandbox-emr.service')
  const [, started] = /^ExecStart=\/usr\/bin\/(.*)$/m.exec(unit) ?? []
  const containerfile = readFileSync(join(PROJECT, 'Containerfile'), 'utf8')
  expect(started).toBe(JSON.parse(/^CMD (.*)$/m.exec(containerfile)?.[1] ?? '[]').join(' '))
  const [, set = ''] = /^Environment=(.*)$/m.exec(unit) ?? []
  expect(readConfig({ ...assignments(set.replaceAll(' ', '\n')), ...GIVEN }).demo).toBe(false)
})

test('Kubernetes asks by paths of the server, and runs it without rights that it does not need', () => {
  const [deployment, service, budget] = yamlOf('kubernetes.yaml')
  const pod = deployment.spec.template.spec
  const [container] = pod.containers
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
  expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
  const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet.path)
  expect(paths).toEqual(['/health/live', '/health/live', '/health/ready'])
  const [environment] = [
    Object.fromEntries(container.env.map((one: { name: string; value: string }) => [one.name, one.value])),
  ]
  const database = { DATABASE_URL: 'mongodb://db.example/emr?replicaSet=rs0' }
  expect(readConfig({ ...OF_IMAGE, ...environment, ...GIVEN, ...database }).trustedProxies).not.toBe(undefined)
  for (const { spec } of [service, budget])
    expect(spec.selector.matchLabels ?? spec.selector).toEqual(deployment.spec.selector.matchLabels)
})

test('the dashboard for Grafana asks for metrics that there are', () => {
  const documented = new Set(
    [...readFileSync(join(PROJECT, 'docs/metrics.md'), 'utf8').matchAll(/`(emr_[a-z_]+)`/g)].map(([, name]) => name),
  )
  const asked = [...textOf('grafana.json').matchAll(/emr_[a-z_]+/g)].map(([name]) =>
    name.replace(/_(bucket|count|sum)$/, ''),
  )
  expect(asked.length).toBeGreaterThan(10)
  expect(asked.filter((name) => !documented.has(name))).toEqual([])
})

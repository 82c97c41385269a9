/** Which of X-Forwarded-* counts, and from whom. */
import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from '@jest/globals'
import { readConfig } from '../../../src/config.ts'
import { TrustedProxies } from '../../../src/http/headers.ts'

const CLIENT = '203.0.113.5'

const proxies = (trusted: string) => new TrustedProxies(readConfig({ TRUST_PROXY: trusted }).trustedProxies)

const from = (remoteAddress: string, headers: Record<string, string> = {}) => ({
  req: { socket: { remoteAddress }, headers } as unknown as IncomingMessage,
})

describe('the address of the client', () => {
  test.each<[string, string, string, string, string]>([
    ['that of the connection where no proxy is trusted', '', '10.0.0.2', CLIENT, '10.0.0.2'],
    ['that of the connection where it is no proxy', '10.0.0.2', CLIENT, '198.51.100.7', CLIENT],
    ['what a trusted proxy says', '10.0.0.2', '10.0.0.2', CLIENT, CLIENT],
    ['what a proxy in a trusted subnet says', '10.0.0.0/8', '10.9.8.7', CLIENT, CLIENT],
    ['the last one that no trusted proxy has', '10.0.0.0/8', '10.0.0.2', `1.2.3.4, ${CLIENT}, 10.0.0.3`, CLIENT],
    ['not what the client itself wrote before it', 'loopback', '127.0.0.1', `198.51.100.7, ${CLIENT}`, CLIENT],
    ['the first one where all are proxies', 'loopback,uniquelocal', '::1', '192.168.1.9, 10.0.0.3', '192.168.1.9'],
    ['that of the proxy where it says nothing', 'loopback', '127.0.0.1', '', '127.0.0.1'],
    ['that of the proxy where it says no address', 'loopback', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['an IPv4 address by itself, though the socket is one of IPv6', '', `::ffff:${CLIENT}`, '', CLIENT],
    ['what a trusted proxy says on a socket of IPv6', 'loopback', '::ffff:127.0.0.1', CLIENT, CLIENT],
    ['without the port that a proxy writes to it', 'loopback', '127.0.0.1', `${CLIENT}:49152`, CLIENT],
    ['an IPv6 address', '2001:db8::/32', '2001:db8::1', '2001:db9::5', '2001:db9::5'],
    ['an IPv6 address without its port', 'linklocal', 'fe80::1', '[2001:db9::5]:443', '2001:db9::5'],
  ])('is %s', (_name, trusted, connection, forwardedFor, address) => {
    expect(proxies(trusted).clientAddress(from(connection, { 'x-forwarded-for': forwardedFor }))).toBe(address)
  })
})

describe('X-Forwarded-Host', () => {
  const host = (trusted: string, connection: string, headers: Record<string, string>): string =>
    proxies(trusted).forwarded(from(connection, headers), 'x-forwarded-host')

  test('counts from a trusted proxy only', () => {
    const headers = { 'x-forwarded-host': 'fhir.example' }
    expect(host('10.0.0.2', '10.0.0.2', headers)).toBe('fhir.example')
    expect(host('10.0.0.2', '10.0.0.3', headers)).toBe('')
    expect(host('', '127.0.0.1', headers)).toBe('')
    expect(host('10.0.0.2', '10.0.0.2', {})).toBe('')
  })

  test('that proxies have appended to is what the outermost trusted one wrote', () => {
    const forged = { 'x-forwarded-host': 'forged.example, fhir.example' }
    expect(host('10.0.0.2', '10.0.0.2', { ...forged, 'x-forwarded-for': CLIENT })).toBe('fhir.example')
    const twice = { 'x-forwarded-host': 'forged.example, fhir.example, inner' }
    expect(host('10.0.0.0/8', '10.0.0.2', { ...twice, 'x-forwarded-for': `${CLIENT}, 10.0.0.3` })).toBe('fhir.example')
  })
})

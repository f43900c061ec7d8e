# python3 client.py [address of the server]
import base64
import json
import sys
import urllib.error
import urllib.request

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

SERVER = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
APPKEY = "demo-app-key"
OAEP = padding.OAEP(mgf=padding.MGF1(hashes.SHA256()), algorithm=hashes.SHA256(), label=None)


def send(method, path, headers, body=None):
    """Sends a request; the header Encrypted and the text of the answer, whatever its status."""
    request = urllib.request.Request(SERVER + path, body, {"appkey": APPKEY, **headers}, method=method)
    try:
        answer = urllib.request.urlopen(request)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return answer.headers.get("Encrypted"), answer.read().decode()


def in_blocks(data, size, operation):
    return b"".join(operation(data[at : at + size]) for at in range(0, len(data), size))


def log_in(fields):
    """Opens a session: `data` of the log-in."""
    _, text = send("GET", "/v2/login/secure/key", {})
    server_key = serialization.load_pem_public_key(json.loads(text)["data"]["key"].encode())
    client_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public_der = client_key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    credentials = in_blocks(
        json.dumps(fields).encode(), server_key.key_size // 8 - 66, lambda block: server_key.encrypt(block, OAEP)
    )
    body = {
        "credentials": base64.b64encode(credentials).decode(),
        "publicKey": base64.b64encode(public_der).decode(),
    }
    encrypted, text = send("POST", "/v2/login/secure", {"Content-Type": "application/json"}, json.dumps(body).encode())
    if encrypted is None:
        raise RuntimeError(text)
    envelope = in_blocks(base64.b64decode(text), 256, lambda block: client_key.decrypt(block, OAEP))
    return json.loads(envelope)["data"]


class SecureSession:
    """The traffic of a session, made of `data` of the log-in."""

    def __init__(self, data):
        self.token = data["sessionId"]
        self.key = base64.b64decode(data["symmetricKey"])
        self.prefix = base64.b64decode(data["ivPrefix"])
        self.next_number = 0

    def call(self, method, path, message=None):
        """Sends a request, with or without a message, and gives the envelope of the answer."""
        headers = {"Secure-Token": self.token}
        body = None
        if message is not None:
            iv = b"\x01" + self.prefix + self.next_number.to_bytes(8, "big") + bytes(4)
            self.next_number += 1
            headers["Content-Type"] = "application/text"
            headers["Encrypted"] = "v=1;iv=" + base64.b64encode(iv).decode()
            body = base64.b64encode(self.apply(iv, json.dumps(message).encode()))
        encrypted, text = send(method, path, headers, body)
        if encrypted is None:
            raise RuntimeError(text)
        iv = base64.b64decode(encrypted.removeprefix("v=1;iv="))
        if len(iv) != 16 or iv[:4] != b"\x02" + self.prefix:
            raise RuntimeError("no answer of this session: " + encrypted)
        return json.loads(self.apply(iv, base64.b64decode(text)))

    def apply(self, iv, data):
        """Encrypts or decrypts: in this mode it is the same."""
        return Cipher(algorithms.AES(self.key), modes.CTR(iv)).encryptor().update(data)


session = SecureSession(log_in({"user": "demo", "pass": "demo", "appNames": ["demo-app"]}))
print(json.dumps(session.call("GET", "/v1/objects/Customer?perPage=2")))
print(json.dumps(session.call("POST", "/v1/logout", {})))

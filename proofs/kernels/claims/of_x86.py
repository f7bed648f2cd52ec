"""Claims about the kernels of x86-64, whose representatives and lengths differ from those of other processors."""
from dataclasses import replace

from proofs.kernels.claim import Claim
from proofs.kernels.claims.of_words import pointwise

# Vectors have eight words.
COUNT = 8


def residues(modulus: int) -> list[Claim]:
    """Reductions in the NTT domain. Those to a representative have another one than portable C."""
    claims = [replace(one, prime=modulus) for one in pointwise(modulus, COUNT)]
    bounds = {"isopod_reduce_all": modulus}
    names = ("isopod_reduce_all", "isopod_canonical_all", "isopod_to_montgomery_all")
    return [replace(one, bound=bounds.get(one.kernel, 0)) for one in claims if one.kernel in names]

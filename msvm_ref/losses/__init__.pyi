from .loss import loss as loss
from .loss import subgradient as subgradient
from .softmax import Softmax as Softmax
